// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Most frames of room in one call: a factor of 100 makes a long buffer of a short one.
private let mostRoom: Int64 = 16384

/// Output is made in pieces of a second divided by this, or in the stretcher's bursts if those are
/// longer.
private let piecesPerSecond: UInt32 = 50

/// A frame is made when its whole span of input has arrived.
private let longestSpan = 100

extension Chain {
  /// Whether nothing may have to be changed.
  var mayPass: Bool { parts.before == 1 && stretch == nil && failure == TIMEDSP_OK }

  /// Records frames that the caller passes through itself; false unless they equal the output that
  /// would be made of them.
  mutating func pass(_ planes: UnsafePointer<UnsafeRawPointer?>, frames: Int) -> Bool {
    passes = mayPass && scaler.pass(planes, frames: frames)
    if passes {
      received &+= Int64(truncatingIfNeeded: frames)
      made &+= Int64(truncatingIfNeeded: frames)
    }
    return passes
  }

  /// Whether all output of the next `frames` frames, which are silent if `isSilent`, comes from
  /// silent frames; counts them.
  mutating func isGap(_ frames: Int, isSilent: Bool) -> Bool {
    if !isSilent {
      gapFrames = 0
      return false
    }
    let isGap = framesBeforeGap == 0
    if gapFrames < .max &>> 1 { gapFrames &+= UInt64(truncatingIfNeeded: frames) }
    return isGap
  }

  /// Silent frames to consume before all output comes from silent frames.
  var framesBeforeGap: UInt64 {
    let needed = UInt64(truncatingIfNeeded: 2 &* lookahead &+ longestSpan)
    return needed &- min(gapFrames, needed)
  }

  /// Frames of room that the next call needs for `frames` of input; 0 if it has to consume input
  /// before anything can be made.
  func room(for frames: Int64) -> Int {
    let due = min(scaler.framesDue(frames), UInt64(truncatingIfNeeded: mostRoom))
    let plain = Int64(truncatingIfNeeded: due)
    guard let stretch else { return Int(truncatingIfNeeded: min(plain &+ 1, mostRoom)) }
    let stretcher = stretch.pointee.stretcher
    if isLeaving {
      let held =
        stretcher.pointee.framesDue(0)
        &+ Int64(truncatingIfNeeded: stretch.pointee.scratch.rest.count)
      return Int(truncatingIfNeeded: min(held &+ plain &+ 1, mostRoom))
    }
    guard isReady else { return 0 }
    // A frame at least: at a rate of a few Hz, nothing else may be ready.
    let piece = Int64(truncatingIfNeeded: settings.rate / piecesPerSecond) &+ 1
    let ready = max(Int64(truncatingIfNeeded: stretcher.pointee.ready), piece)
    return Int(truncatingIfNeeded: min(ready, mostRoom, (limit ?? .max) &- made))
  }

  /// Consumes frames from `planes` and writes their output to `sink`; returns how many it consumed:
  /// all, unless `sink` is full.
  mutating func process(
    _ planes: UnsafePointer<UnsafeRawPointer?>?, frames: Int, into sink: inout FrameSink
  ) -> Int {
    var rest = input
    rest.point(at: planes, frames)
    passes = false
    if stretch != nil {
      run(&rest, mayStop: true, into: &sink)
      leave(into: &sink)
    }
    if stretch == nil {
      let old = sink.made
      rest.take(scaler.process(rest.planes, frames: rest.count, into: &sink))
      made &+= Int64(truncatingIfNeeded: sink.made &- old)
    }
    let taken = frames &- rest.count
    received &+= Int64(truncatingIfNeeded: taken)
    return taken
  }

  /// Whether the last call may have more output, now that `room` of its room is left.
  func hasMore(_ room: Int) -> Bool { stretch == nil ? room == 0 : isLeaving || isReady }

  /// Outputs the frames that the stretcher holds, if it is not needed any more.
  mutating func leave(into sink: inout FrameSink) {
    guard isLeaving, let stretch else { return }
    let old = sink.made
    let isDone = stretch.pointee.leave(into: &sink, shape)
    made &+= Int64(truncatingIfNeeded: sink.made &- old)
    if isDone { retire() }
  }
}

// Through the stretcher.
extension Chain {
  /// Whether there may be output without more input.
  var isReady: Bool {
    guard let stretch else { return false }
    return stretch.pointee.stretcher.pointee.ready > 0 || tail?.pointee.isReady == true
  }

  /// Consumes `input` and makes its output. If no change is left to make and the chain may stop, it
  /// begins to remove the stretcher. It checks that once all output of the stretcher has left, so
  /// that the position of the stop does not depend on how the input is cut.
  mutating func run(_ input: inout FrameCursor, mayStop: Bool, into sink: inout FrameSink) {
    if isLeaving { return }
    take(&input)
    while sink.room > 0, isReady {
      give(to: &sink)
      isLeaving = mayStop && isIdle
      if isLeaving { return }
      take(&input)
    }
  }

  private mutating func give(to sink: inout FrameSink) {
    guard let stretch else { return }
    let old = sink.made
    if let tail {
      tail.pointee.give(from: stretch, into: &sink)
    } else {
      stretch.pointee.give(to: &sink)
    }
    made &+= Int64(truncatingIfNeeded: sink.made &- old)
  }

  /// Consumes input until frames are ready, or all of it if none are.
  private mutating func take(_ input: inout FrameCursor) {
    guard let stretch else { return }
    while stretch.pointee.stretcher.pointee.ready == 0 {
      if stretch.pointee.scratch.rest.count == 0 { fillScratch(stretch, &input) }
      if stretch.pointee.scratch.rest.count == 0 { return }
      if stretch.pointee.take() { _ = moveOn(isEarly: false) }
    }
  }

  /// Scales into the scratch, which is empty; it stays so if there is too little input.
  private mutating func fillScratch(
    _ stretch: UnsafeMutablePointer<StretchStage>, _ input: inout FrameCursor
  ) {
    let warm = Int(truncatingIfNeeded: stretch.pointee.warm)
    let capacity = warm > 0 ? min(warm, Scratch.capacity) : Scratch.capacity
    var sink = stretch.pointee.scratch.sink(capacity)
    let taken = scaler.process(input.planes, frames: input.count, into: &sink)
    stretch.pointee.hear(input, taken)
    input.take(taken)
    stretch.pointee.scratch.fill(sink.made)
  }

  /// Whether the chain passes its input through, bit for bit, and may stop: nothing moves, and it
  /// would make exactly as many frames as it has to.
  private var isIdle: Bool {
    guard let stretch, !settings.moves, tail?.pointee.isIdentity != false else {
      return false
    }
    let stretcher = stretch.pointee.stretcher
    guard stretcher.pointee.ready == 0, stretcher.pointee.isIdentity, stretch.pointee.warm == 0,
      parts.before == 1, parts.stretch == 1, scaler.position.fraction == 0
    else { return false }
    // after its last move the scaler makes a frame of each one: frames in the scratch count so
    let taken = place - Double(stretch.pointee.scratch.rest.count)
    return taken >= max(line.input, steadyFrom)
      && wholeFrames(line.output(of: taken)) == wholeFrames(outputPlace)
  }
}
