// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maximum output capacity of a call. At a factor of 100, even a short buffer has a long output.
private let mostRoom: Int64 = 16384

/// With a stretcher, a call outputs 1 / `piecesPerSecond` seconds, or more if more is ready.
private let piecesPerSecond: UInt32 = 50

/// Maximum number of input frames per output frame.
private let longestSpan = 100

extension Chain {
  /// Whether input may be passed through unchanged.
  var mayPass: Bool { parts.before == 1 && stretch == nil && failure == TIMEDSP_OK }

  /// Records frames that the caller outputs unmodified. Returns `false` if the output of the chain
  /// would differ from these frames.
  mutating func pass(_ planes: UnsafePointer<UnsafeRawPointer?>, frames: Int) -> Bool {
    passes = mayPass && scaler.pass(planes, frames: frames)
    if passes {
      received &+= Int64(truncatingIfNeeded: frames)
      made &+= Int64(truncatingIfNeeded: frames)
    }
    return passes
  }

  /// Counts the next `frames` frames; `isSilent` says whether they are silent. Returns whether all
  /// output for these frames results from silent input.
  mutating func isGap(_ frames: Int, isSilent: Bool) -> Bool {
    if !isSilent {
      gapFrames = 0
      return false
    }
    let isGap = framesBeforeGap == 0
    if gapFrames < .max &>> 1 { gapFrames &+= UInt64(truncatingIfNeeded: frames) }
    return isGap
  }

  /// Number of silent frames that must be consumed before all output results from silent input.
  var framesBeforeGap: UInt64 {
    let needed = UInt64(truncatingIfNeeded: 2 &* latency &+ longestSpan)
    return needed &- min(gapFrames, needed)
  }

  /// The output capacity that the next call needs for `frames` input frames. It is 0 if the next
  /// call can only consume input.
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
    // At a rate of a few Hz, the quotient is 0, but a call must output at least one frame.
    let piece = Int64(truncatingIfNeeded: settings.rate / piecesPerSecond) &+ 1
    let ready = max(Int64(truncatingIfNeeded: stretcher.pointee.ready), piece)
    return Int(truncatingIfNeeded: min(ready, mostRoom, (limit ?? .max) &- made))
  }

  /// Consumes frames from `planes` and writes their output to `sink`. Returns the number of
  /// consumed frames. This is less than `frames` only if `sink` is full.
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
      rest.consume(scaler.process(rest.planes, frames: rest.count, into: &sink))
      made &+= Int64(truncatingIfNeeded: sink.made &- old)
    }
    let consumed = frames &- rest.count
    received &+= Int64(truncatingIfNeeded: consumed)
    return consumed
  }

  /// Whether another call may write more output. `room` is the capacity that the last call left
  /// unused.
  func hasMore(_ room: Int) -> Bool { stretch == nil ? room == 0 : isLeaving || isReady }

  /// If the stretcher is being removed, outputs the frames that remain in it.
  mutating func leave(into sink: inout FrameSink) {
    guard isLeaving, let stretch else { return }
    let old = sink.made
    let isDone = stretch.pointee.leave(into: &sink, shape)
    made &+= Int64(truncatingIfNeeded: sink.made &- old)
    if isDone { retire() }
  }
}

// Processing through the stretcher.
extension Chain {
  /// Whether there may be output without further input.
  var isReady: Bool {
    guard let stretch else { return false }
    return stretch.pointee.stretcher.pointee.ready > 0 || tail?.pointee.isReady == true
  }

  /// Consumes `input` and writes its output. With `mayStop`, starts to remove the stretcher if it
  /// is idle. The stretcher is idle only after all of its finished output has been written. So the
  /// frame at which its removal starts does not depend on how the input is divided.
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

  /// Consumes input until frames are ready, or until all of it is used.
  private mutating func consume(_ input: inout FrameCursor) {
    guard let stretch else { return }
    while stretch.pointee.stretcher.pointee.ready == 0 {
      if stretch.pointee.scratch.rest.count == 0 { fillScratch(stretch, &input) }
      if stretch.pointee.scratch.rest.count == 0 { return }
      if stretch.pointee.consume() { _ = moveOn(isEarly: false) }
    }
  }

  /// Scales input into the empty scratch memory. The memory stays empty if there is too little
  /// input.
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

  /// Whether the stretcher can be removed. The chain must output its input bit for bit, no move may
  /// be active, and the number of output frames must be exact.
  private var isIdle: Bool {
    guard let stretch, !settings.moves, tail?.pointee.isIdentity != false else {
      return false
    }
    let stretcher = stretch.pointee.stretcher
    guard stretcher.pointee.ready == 0, stretcher.pointee.isIdentity, stretch.pointee.warm == 0,
      parts.before == 1, parts.stretch == 1, scaler.position.fraction == 0
    else { return false }
    // the scaler is at factor 1, so each frame in the scratch memory counts as one input frame
    let consumed = inputPosition - Double(stretch.pointee.scratch.rest.count)
    return consumed >= max(lengthMap.input, steadyFrom)
      && wholeFrames(lengthMap.output(of: consumed)) == wholeFrames(outputPosition)
  }
}
