// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Plays a sound that is in the caller's memory as a tape that is moved by hand: at any speed from
/// -8 to 8, through zero, with a loop.
///
/// The caller copies the runs of frames that the next block needs to the tape's input:
///
///     repeat {
///       while let run = tape.next() { /* copy the run */ tape.feed() }
///     } while !tape.read()
///
/// Samples are `Float`, in planes. Only `init` allocates.
struct Tape: HeldByC, ~Copyable {
  /// Length of a block, in frames: a render quantum.
  static let blockFrames = 128
  /// A block at the highest speed, and half of a kernel on either side.
  private static let inputFrames = 2048
  /// While a hand moves the tape, each output frame needs its own kernel. Those of this quality take
  /// a fifth of the time of the audio thread at the highest speed, and those of 6 a half.
  private static let quality: UInt32 = 4

  private var map: TapeMap
  private var reader: SpeedReader
  private let planes: PlaneMemory
  /// The speed that was set last, below 0 if the sound is played backwards, also on the way
  /// back of a ping-pong loop.
  private var speed = 0.0
  /// The aim of a scrub, in frames of the sound; `nil` after any other move.
  private var aim: (frame: Int64, within: UInt64)?
  /// Whether the sound ended at one of its ends.
  private(set) var hasEnded = false
  /// The frames of the tape that the input has or is to have, and the first that it does not have.
  private var input: (first: Int64, end: Int64) = (0, 0)
  private var fed: Int64 = 0
  private var isAsked = false
  private(set) var run = FrameRun(first: 0, count: 0, isBackward: false)
  /// Number of frames of the block that are in the output.
  private var made = 0

  /// Creates a tape at rest at the beginning of a sound of `frames` frames.
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

  /// Puts the loop on the tape, unless a hand moves it.
  private mutating func lay() {
    map.lay(around: reader.playhead.position().high, isLooping: aim == nil)
    reader.limit(from: map.limits.start, to: map.limits.end)
  }

  private var place: (position: Wide, isBackward: Bool) {
    map.sound(at: reader.playhead.position())
  }

  /// Position in the sound of the next output frame, in frames.
  var position: Double { place.position.value }

  /// The speed of the next output frame, below 0 if the sound is played backwards.
  var currentSpeed: Double {
    let speed = reader.playhead.speed().value
    return place.isBackward ? -speed : speed
  }
}

// Moves.
extension Tape {
  mutating func setLoop(_ loop: TimeDSPLoop, start: Int64, stop: Int64) {
    returnToSound()
    map.setLoop(loop, start: start, stop: stop)
    lay()
  }

  /// Continues immediately at `frame`, with `speed`.
  mutating func start(at frame: Int64, speed: Double) throws(TimeDSPStatus) {
    let last = max(map.whole.endFrame &- 1, 0)
    try reader.start(at: min(max(frame, 0), last), speed: speed)
    self.speed = speed
    (aim, hasEnded) = (nil, false)
    lay()
  }

  /// Continues immediately at `frame`, at the speed that was set last.
  mutating func jump(to frame: Int64) throws(TimeDSPStatus) { try start(at: frame, speed: speed) }

  /// Changes `currentSpeed` to `speed` within `frames` output frames.
  mutating func ramp(to speed: Double, within frames: UInt64) throws(TimeDSPStatus) {
    try reader.ramp(to: place.isBackward ? -speed : speed, within: frames)
    (self.speed, hasEnded) = (speed, false)
    // on other passes of a loop, the tape has other numbers than the sound
    if aim != nil {
      aim = nil
      lay()
    }
  }

  /// Moves to `frame` within `frames` output frames, or more at the highest speed, and rests there.
  /// A hand may leave a loop.
  mutating func scrub(to frame: Int64, within frames: UInt64) throws(TimeDSPStatus) {
    let frame = min(max(frame, 0), max(map.whole.endFrame &- 1, 0))
    returnToSound()
    aim = (frame, frames)
    (speed, hasEnded) = (0, false)
    lay()
    try reader.scrub(to: frame, within: frames, speed: 0)
  }

  /// Continues on the pass of the tape that has the numbers of the sound.
  private mutating func returnToSound() {
    let (place, speed, left) = (place, currentSpeed, reader.playhead.framesLeft)
    guard place.isBackward || place.position != reader.playhead.position() else { return }
    reader.playhead = Playhead(at: place.position, speed: Wide(speed))
    if left > 0 { try? reader.ramp(to: self.speed, within: left) }
  }
}

// Input and output of frames.
extension Tape {
  /// The next run of frames of the sound that must be copied to the input, in the order of the
  /// sound. `nil` if the input is complete.
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

  /// Accepts the run, after the caller has copied its frames to the input.
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

  /// Writes output. Returns `true` if the block is complete, otherwise more input is needed.
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

  /// Completes the block with silence, because the caller has not copied all frames.
  private mutating func skip() {
    let rest = Self.blockFrames &- made
    for plane in planes.indices { timedsp_clear(planes.output(plane) + made, rest &* 4) }
    reader.wait(UInt64(truncatingIfNeeded: rest))
    made = Self.blockFrames
  }

  /// The reader rests at an end of the sound. Continues if there is a loop, or if it was only on
  /// its way elsewhere.
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

  /// The memory for the run that `next()` returned.
  func input(_ plane: Int) -> UnsafeMutablePointer<Float> {
    planes.input(plane) + Int(truncatingIfNeeded: fed &- input.first)
  }

  func output(_ plane: Int) -> UnsafeMutablePointer<Float> { planes.output(plane) }
}
