// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The max output capacity of a call, in frames. Without it, a short buffer would become very long
/// at factor 100.
private let maxRoom: Int64 = 16384

/// Max input frames per output frame.
private let longestSpan = 100

extension Chain {
  /// If true, you may pass input through instead of processing it.
  var mayPass: Bool { parts.before == 1 && stretch == nil && failure == TIMEDSP_OK }

  /// Counts frames that you output unmodified. If the chain's output would differ, returns `false`
  /// and counts nothing.
  mutating func pass(_ planes: UnsafePointer<UnsafeRawPointer?>, frames: Int) -> Bool {
    let passes = mayPass && scaler.pass(planes, frames: frames)
    if passes {
      received &+= Int64(truncatingIfNeeded: frames)
      made &+= Int64(truncatingIfNeeded: frames)
    }
    return passes
  }

  /// Counts the next `frames` input frames. Returns true if all of their output comes from silence,
  /// so that it's a gap.
  mutating func isGap(_ frames: Int, isSilent: Bool) -> Bool {
    if !isSilent {
      gapFrames = 0
      return false
    }
    let isGap = framesBeforeGap == 0
    if gapFrames < .max &>> 1 { gapFrames &+= UInt64(truncatingIfNeeded: frames) }
    return isGap
  }

  /// After this many more silent input frames, all output comes from silence.
  var framesBeforeGap: UInt64 {
    let needed = UInt64(truncatingIfNeeded: 2 &* latency &+ longestSpan)
    return needed &- min(gapFrames, needed)
  }

  /// The output capacity for `frames` input frames. While the factor changes, it may be too little,
  /// and you need another call.
  func room(for frames: Int64) -> Int {
    let due = min(scaler.framesDue(frames), UInt64(truncatingIfNeeded: maxRoom))
    let plain = Int64(truncatingIfNeeded: due)
    guard let stretch else { return Int(truncatingIfNeeded: min(plain &+ 1, maxRoom)) }
    let stretcher = stretch.pointee.stretcher
    if isLeaving {
      let held =
        stretcher.pointee.framesDue(0)
        &+ Int64(truncatingIfNeeded: stretch.pointee.scratch.rest.count)
      return Int(truncatingIfNeeded: min(held &+ plain &+ 1, maxRoom))
    }
    // the ready frames, the output of the new ones, and a hop. Frames from before a move may have
    // been longer
    let hop = Double(stretch.pointee.layout.sizes.longest &>> 2)
    let given = Double(stretcher.pointee.ready) + hop + 2
    let longest = inputPosition < minLatency.until ? 2 * max(parts.stretch, 1) : parts.stretch
    let stretched = given + Double(frames) * parts.before * longest
    let room = min(stretched * parts.after + 2, Double(maxRoom))
    return Int(truncatingIfNeeded: min(timedsp_whole_part(room), (limit ?? .max) &- made))
  }

  /// Returns the number of consumed frames. It's less than `frames` only if `sink` is full.
  mutating func process(
    _ planes: UnsafePointer<UnsafeRawPointer?>?, frames: Int, into sink: inout FrameSink
  ) -> Int {
    var rest = input
    rest.point(at: planes, frames)
    if stretch != nil {
      run(&rest, mayStop: true, into: &sink)
      leave(into: &sink)
    }
    if stretch == nil {
      let old = sink.made
      rest.consume(scaler.process(rest.planes, frames: rest.count, into: &sink))
      made &+= Int64(truncatingIfNeeded: sink.made &- old)
    }
    let consumed = frames &- rest.count
    received &+= Int64(truncatingIfNeeded: consumed)
    return consumed
  }

  /// With no more input, another call may write more. `room` is what the last call left unused.
  func hasMore(_ room: Int) -> Bool { stretch == nil ? room == 0 : isLeaving || isReady }

  /// If the stretcher is leaving, writes what's left in it. After the last frame, it's gone.
  mutating func leave(into sink: inout FrameSink) {
    guard isLeaving, let stretch else { return }
    let old = sink.made
    let isDone = stretch.pointee.leave(into: &sink, shape)
    made &+= Int64(truncatingIfNeeded: sink.made &- old)
    if isDone { retire() }
  }
}

// Processing with a stretcher.
extension Chain {
  var isReady: Bool {
    guard let stretch else { return false }
    return stretch.pointee.stretcher.pointee.ready > 0 || tail?.pointee.isReady == true
  }

  /// Consumes `input` and writes its output through the stretcher. With `mayStop`, an idle
  /// stretcher begins to leave. We check that only after all finished output, so buffer sizes don't
  /// decide at which frame it begins.
  mutating func run(_ input: inout FrameCursor, mayStop: Bool, into sink: inout FrameSink) {
    if isLeaving { return }
    consume(&input)
    while sink.room > 0, isReady {
      emit(to: &sink)
      isLeaving = mayStop && isIdle
      if isLeaving { return }
      consume(&input)
    }
  }

  private mutating func emit(to sink: inout FrameSink) {
    guard let stretch else { return }
    let old = sink.made
    if let tail {
      tail.pointee.emit(from: stretch, into: &sink)
    } else {
      stretch.pointee.emit(to: &sink)
    }
    made &+= Int64(truncatingIfNeeded: sink.made &- old)
  }

  /// Stops when the stretcher has finished frames.
  private mutating func consume(_ input: inout FrameCursor) {
    guard let stretch else { return }
    while stretch.pointee.stretcher.pointee.ready == 0 {
      if stretch.pointee.scratch.rest.count == 0 { fillScratch(stretch, &input) }
      if stretch.pointee.scratch.rest.count == 0 { return }
      if stretch.pointee.consume() { _ = moveOn(isEarly: false) }
    }
  }

  /// Without enough input, the scratch memory stays empty.
  private mutating func fillScratch(
    _ stretch: UnsafeMutablePointer<StretchStage>, _ input: inout FrameCursor
  ) {
    let warm = Int(truncatingIfNeeded: stretch.pointee.warm)
    let capacity = warm > 0 ? min(warm, Scratch.capacity) : Scratch.capacity
    var sink = stretch.pointee.scratch.sink(capacity)
    let consumed = scaler.process(input.planes, frames: input.count, into: &sink)
    stretch.pointee.receive(input, consumed)
    input.consume(consumed)
    stretch.pointee.scratch.fill(sink.made)
  }

  /// If true, the stretcher can go: the chain outputs its input bit for bit, no move is active, and
  /// the number of output frames is exact.
  private var isIdle: Bool {
    guard let stretch, !settings.moves, tail?.pointee.isIdentity != false else {
      return false
    }
    let stretcher = stretch.pointee.stretcher
    guard stretcher.pointee.ready == 0, stretcher.pointee.isIdentity, stretch.pointee.warm == 0,
      parts.before == 1, parts.stretch == 1, scaler.position.fraction == 0
    else { return false }
    // the first scaler has factor 1, so each frame in the scratch memory is one input frame
    let consumed = inputPosition - Double(stretch.pointee.scratch.rest.count)
    return consumed >= max(planned.input.value, steadyFrom)
      && wholeFrames(planned.output(at: consumed)) == wholeFrames(outputPosition)
  }
}
