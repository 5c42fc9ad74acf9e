// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Plays a sound in the memory of its owner: reversed, looped, scaled.
///
/// The owner asks which frames are wanted, copies them to the input, and reads the output:
///
///     while !player.hasEnded {
///       let made = player.read()              // frames of output
///       if made == 0, let run = player.next() { /* copy the run */ player.feed() }
///     }
///
/// Samples are Float in planes. `read()` and `feed()` do not allocate.
struct MemoryPlayer: HeldByC, ~Copyable {
  /// Most frames of one run, and of one piece of output.
  static let blockFrames = 1024

  var cursor: MemoryCursor
  private(set) var settings: ChainSettings
  private(set) var hasEnded = false
  /// The sound has ended; the chain outputs what it still holds.
  private(set) var isDraining = false
  /// Set if the direction changed meanwhile: playback continues when the chain is empty.
  private var goesOn = false

  private var chain: Chain
  private var played = PlayedRuns()
  private var run = FrameRun(first: 0, count: 0, isBackward: false)
  /// Frames of the input that the chain has received, in all and of this run.
  private var given: Int64 = 0
  private var used = 0
  private var pending = 0
  private let planes: PlaneMemory

  /// A sound of `frames` frames. Throws if settings are wrong or memory is missing.
  init(_ settings: ChainSettings, frames: Int64) throws(TimeDSPStatus) {
    let channels = min(settings.audio.channels, UInt32(TIMEDSP_MAX_CHANNELS))
    let planes = try PlaneMemory(
      channels: Int(truncatingIfNeeded: channels), frames: Self.blockFrames)
    let chain = try Chain.made(for: settings)
    self.planes = planes
    self.chain = chain
    self.settings = settings
    cursor = MemoryCursor(frames: frames)
  }

}

// Control.
extension MemoryPlayer {
  /// Goes to `frame` and forgets what has been fed. Throws if there is no memory.
  mutating func seek(to frame: Int64) throws(TimeDSPStatus) {
    chain = try Chain.made(for: settings)
    cursor.seek(to: frame)
    played = PlayedRuns()
    given = 0
    pending = 0
    isDraining = false
    goesOn = false
    hasEnded = false
  }

  /// Sets the direction from the next run on. After the end of the sound, playback continues from
  /// there.
  mutating func turn(backward: Bool) throws(TimeDSPStatus) {
    guard backward != cursor.isBackward else { return }
    cursor.turn(backward: backward)
    if hasEnded { try seek(to: cursor.boundary) }
    goesOn = isDraining
  }

  /// Moves speed and pitch there within 20 ms of input. Another window or interpolation
  /// counts from the next seek on.
  mutating func change(_ wanted: ChainSettings) throws(TimeDSPStatus) {
    var pitch = wanted.pitch
    pitch.window = settings.pitch.window
    let frames = given == 0 ? 0 : UInt64(settings.rate / 50)
    _ = try chain.move(to: wanted.factor, pitch: pitch, within: frames)
    settings = wanted
    if given == 0 { try seek(to: cursor.boundary) }
  }
}

// Frames.
extension MemoryPlayer {
  /// The frames to copy to the input, in the order of the sound; `nil`: none, read on.
  mutating func next() -> FrameRun? {
    guard pending == 0, !isDraining else { return nil }
    guard let next = cursor.next(atMost: Int64(Self.blockFrames)) else {
      isDraining = true
      return nil
    }
    run = next
    return next
  }

  /// The frames of the run are in the input.
  mutating func feed() {
    let frames = Int(truncatingIfNeeded: run.count)
    guard pending == 0, frames > 0 else { return }
    if run.isBackward {
      for plane in planes.indices {
        let samples = planes.input(plane)
        _ = timedsp_reverse(samples, samples, frames, MemoryLayout<Float>.size)
      }
    }
    played.append(run, at: given)
    used = 0
    pending = frames
    run.count = 0
  }

  /// Writes frames to the output. 0: it needs a run, or the sound has ended.
  mutating func read() -> Int {
    if isDraining {
      let rest = try? chain.drain(into: planes.outputs(), capacity: Self.blockFrames)
      let progress = rest ?? ChainProgress()
      hasEnded = progress.made == 0 && !progress.hasMore
      if hasEnded, goesOn { try? seek(to: cursor.boundary) }
      return progress.made
    }
    while true {
      let some = try? chain.process(
        planes.inputs(from: used), frames: pending, into: planes.outputs(),
        capacity: Self.blockFrames)
      guard let progress = some else { return 0 }
      used &+= progress.used
      pending &-= progress.used
      given &+= Int64(progress.used)
      if progress.made > 0 || !progress.hasMore { return progress.made }
    }
  }

  /// First frame of the run that `next()` returned last.
  var runFirst: Int64 { run.first }

  func input(_ plane: Int) -> UnsafeMutablePointer<Float> { planes.input(plane) }
  func output(_ plane: Int) -> UnsafeMutablePointer<Float> { planes.output(plane) }

  /// Frame of the sound at the next frame of output, exact within a frame or two while
  /// the factor rests.
  var position: Double {
    let due = Double((try? chain.framesDue(after: 0)) ?? 0)
    let played = played.position(at: Double(given) - due / chain.settings.factor)
    return played ?? Double(cursor.boundary)
  }
}
