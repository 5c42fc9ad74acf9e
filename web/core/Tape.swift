// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Plays a sound in the caller's memory like a tape that you move by hand: at any speed from -8 to
/// 8, through zero, with a loop.
///
/// You copy the runs of frames that the next block needs to the tape's input:
///
///     repeat {
///       while let run = tape.next() { /* copy the run */ tape.feed() }
///     } while !tape.read()
///
/// Samples are `Float`, in planes. Only `init` allocates.
struct Tape: HeldByC, ~Copyable {
  /// A render quantum.
  static let blockFrames = 128
  /// A block at the highest speed, and half of a kernel on either side.
  private static let inputFrames = 2048
  /// While you move the tape by hand, each output frame needs its own kernel. At the highest speed,
  /// those of this quality take a fifth of the audio thread's time, and those of 6 a half.
  private static let quality: UInt32 = 4

  private var map: TapeMap
  private var reader: SpeedReader
  private let planes: PlaneMemory
  /// The speed that you set last. It's below 0 if the sound plays backwards, also on the way back
  /// in a ping-pong loop.
  private var speed = 0.0
  /// Where a scrub goes, in frames of the sound. `nil` after any other move.
  private var aim: (frame: Int64, within: UInt64)?
  private(set) var hasEnded = false
  /// The tape's frames that the input has or will have, and the first that it won't.
  private var input: (first: Int64, end: Int64) = (0, 0)
  private var fed: Int64 = 0
  private var isAsked = false
  private(set) var run = FrameRun(first: 0, count: 0, isBackward: false)
  /// Frames of the block that are in the output.
  private var made = 0

  /// At rest, at the beginning of a sound of `frames` frames.
  init(rate: UInt32, channels: UInt32, frames: Int64) throws(TimeDSPStatus) {
    let audio = TimeDSPConfig(
      format: TIMEDSP_F32, layout: TIMEDSP_PLANAR, interpolation: TIMEDSP_SINC,
      channels: channels, quality: Self.quality)
    let reader = try SpeedReader(audio, fadeFrames: rate / 100)
    planes = try PlaneMemory(
      channels: Int(truncatingIfNeeded: channels), frames: Self.inputFrames)
    self.reader = reader
    map = TapeMap(frames: frames)
    lay()
  }

  /// Unless you move the tape by hand, puts the loop on it.
  private mutating func lay() {
    map.lay(around: reader.playhead.position().high, isLooping: aim == nil)
    reader.limit(from: map.limits.start, to: map.limits.end)
  }

  private var place: (position: Wide, isBackward: Bool) {
    map.sound(at: reader.playhead.position())
  }

  /// Where the next output frame is in the sound, in frames.
  var position: Double { place.position.value }

  /// For the next output frame. It's below 0 if the sound plays backwards.
  var currentSpeed: Double {
    let speed = reader.playhead.speed().value
    return place.isBackward ? -speed : speed
  }
}

extension Tape {
  mutating func setLoop(_ loop: TimeDSPLoop, start: Int64, stop: Int64) {
    returnToSound()
    map.setLoop(loop, start: start, stop: stop)
    lay()
  }

  mutating func start(at frame: Int64, speed: Double) throws(TimeDSPStatus) {
    let last = max(map.whole.endFrame &- 1, 0)
    try reader.start(at: min(max(frame, 0), last), speed: speed)
    self.speed = speed
    (aim, hasEnded) = (nil, false)
    lay()
  }

  /// At the speed that you set last.
  mutating func jump(to frame: Int64) throws(TimeDSPStatus) { try start(at: frame, speed: speed) }

  /// In `currentSpeed`, within `frames` output frames.
  mutating func ramp(to speed: Double, within frames: UInt64) throws(TimeDSPStatus) {
    try reader.ramp(to: place.isBackward ? -speed : speed, within: frames)
    (self.speed, hasEnded) = (speed, false)
    // on other passes of a loop, the tape has other numbers than the sound
    if aim != nil {
      aim = nil
      lay()
    }
  }

  /// Within `frames` output frames, or more at the highest speed, it comes to `frame`, and rests
  /// there. By hand, you may leave a loop.
  mutating func scrub(to frame: Int64, within frames: UInt64) throws(TimeDSPStatus) {
    let frame = min(max(frame, 0), max(map.whole.endFrame &- 1, 0))
    returnToSound()
    aim = (frame, frames)
    (speed, hasEnded) = (0, false)
    lay()
    try reader.scrub(to: frame, within: frames, speed: 0)
  }

  /// Continues where the tape has the numbers of the sound.
  private mutating func returnToSound() {
    let (place, speed, left) = (place, currentSpeed, reader.playhead.framesLeft)
    guard place.isBackward || place.position != reader.playhead.position() else { return }
    reader.playhead = Playhead(at: place.position, speed: Wide(speed))
    if left > 0 { try? reader.ramp(to: self.speed, within: left) }
  }
}

extension Tape {
  /// Copy this run to the input, in the order of the sound. `nil` if the input is complete.
  mutating func next() -> FrameRun? {
    if !isAsked {
      input = reader.needs(Self.blockFrames &- made)
      fed = input.first
      isAsked = true
    }
    let left = min(input.end, input.first &+ Int64(Self.inputFrames)) &- fed
    run = map.run(at: fed, atMost: left)
    return left > 0 ? run : nil
  }

  /// Call this once you've copied the run to the input.
  mutating func feed() {
    if run.isBackward {
      for plane in planes.indices {
        let samples = input(plane)
        _ = timedsp_reverse(
          samples, samples, Int(truncatingIfNeeded: run.count), MemoryLayout<Float>.size)
      }
    }
    fed &+= run.count
    run.count = 0
  }

  /// Returns `true` if the block is complete, or `false` if it needs more input.
  mutating func read() -> Bool {
    let source = FrameSource(planes: planes.inputs(from: 0), first: input.first, end: fed)
    var sink = FrameSink(planes: planes.outputs(), capacity: Self.blockFrames, made: made)
    reader.read(source, into: &sink)
    let isLate = sink.made == made && reader.edge == 0
    made = sink.made
    isAsked = false
    if reader.edge != 0, !hasEnded { continueAtEdge() }
    if isLate { skip() }
    guard made == Self.blockFrames else { return false }
    made = 0
    if map.enter(at: reader.playhead.position().high) {
      reader.limit(from: map.limits.start, to: map.limits.end)
    }
    return true
  }

  /// You haven't copied all frames, so silence completes the block.
  private mutating func skip() {
    let rest = Self.blockFrames &- made
    for plane in planes.indices { timedsp_clear(planes.output(plane) + made, rest &* 4) }
    reader.wait(UInt64(truncatingIfNeeded: rest))
    made = Self.blockFrames
  }

  /// The reader rests at an end of the sound. If there's a loop, or if it was only on its way
  /// elsewhere, it continues.
  private mutating func continueAtEdge() {
    let isAtStart = reader.edge < 0
    if let aim {
      try? reader.scrub(to: aim.frame, within: aim.within, speed: 0)
    } else if speed == 0 {
      return
    } else if (speed < 0) != isAtStart {
      try? start(at: isAtStart ? 0 : map.whole.endFrame, speed: speed)
    } else if let next = map.nextPass(isAtStart ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD) {
      let turns = (next.direction == TIMEDSP_BACKWARD) != isAtStart
      try? start(at: next.frame, speed: turns ? -speed : speed)
    } else {
      (speed, hasEnded) = (0, true)
    }
  }

  /// For the run that `next()` returned.
  func input(_ plane: Int) -> UnsafeMutablePointer<Float> {
    planes.input(plane) + Int(truncatingIfNeeded: fed &- input.first)
  }

  func output(_ plane: Int) -> UnsafeMutablePointer<Float> { planes.output(plane) }
}
