// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Plays a sound in the caller's memory: in both directions, with a loop, and scaled.
///
/// You copy each run of frames that the player needs to its input:
///
///     while !player.hasEnded {
///       let made = player.read()              // frames of output
///       if made == 0, let run = player.next() { /* copy the run */ player.feed() }
///     }
///
/// Samples are `Float`, in planes. `read()` and `feed()` don't allocate.
struct MemoryPlayer: HeldByC, ~Copyable {
  /// Neither a run nor a block of output is longer.
  static let blockFrames = 1024

  var cursor: MemoryCursor
  private(set) var settings: ChainSettings
  private(set) var hasEnded = false
  /// The chain has the last run, and only outputs what it still buffers.
  private(set) var isDraining = false
  /// The direction has changed while the chain was draining, so playback continues when it's empty.
  private var goesOn = false

  private var chain: Chain
  private var played = PlayedRuns()
  private var run = FrameRun(first: 0, count: 0, isBackward: false)
  /// Input frames that the chain has processed since the last seek. It has processed `used` frames
  /// of the current run, and `pending` ones are left.
  private var given: Int64 = 0
  private var used = 0
  private var pending = 0
  private let planes: PlaneMemory

  /// For a sound of `frames` frames. Throws if the settings are invalid, or if there's no memory.
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

extension MemoryPlayer {
  /// Discards all buffered frames. Throws if there's no memory.
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

  /// Takes effect at the next run. If the sound has ended, playback continues from there.
  mutating func turn(backward: Bool) throws(TimeDSPStatus) {
    guard backward != cursor.isBackward else { return }
    cursor.turn(backward: backward)
    if hasEnded { try seek(to: cursor.boundary) }
    goesOn = isDraining
  }

  /// Speed and pitch change gradually, within 20 ms of input. A new window or interpolation takes
  /// effect at the next seek.
  mutating func change(_ wanted: ChainSettings) throws(TimeDSPStatus) {
    var pitch = wanted.pitch
    pitch.window = settings.pitch.window
    let frames = given == 0 ? 0 : UInt64(settings.rate / 50)
    _ = try chain.ramp(to: wanted.factor, pitch: pitch, within: frames)
    settings = wanted
    if given == 0 { try seek(to: cursor.boundary) }
  }
}

extension MemoryPlayer {
  /// Copy this run to the input, in the order of the sound. `nil` if you must read output first, or
  /// if the sound has ended.
  mutating func next() -> FrameRun? {
    guard pending == 0, !isDraining else { return nil }
    guard let next = cursor.next(atMost: Int64(Self.blockFrames)) else {
      isDraining = true
      return nil
    }
    run = next
    return next
  }

  /// Call this once you've copied the run to the input.
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

  /// Writes the next block to the output. Returns its frames, or 0 if it needs another run or the
  /// sound has ended.
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

  /// Where the last run of `next()` begins in the sound.
  var runFirst: Int64 { run.first }

  func input(_ plane: Int) -> UnsafeMutablePointer<Float> { planes.input(plane) }
  func output(_ plane: Int) -> UnsafeMutablePointer<Float> { planes.output(plane) }

  /// Where the next output frame is in the sound. While the factor is constant, it's off by two
  /// frames at most.
  var position: Double {
    let due = Double((try? chain.framesDue(after: 0)) ?? 0)
    let played = played.position(at: Double(given) - due / chain.settings.factor)
    return played ?? Double(cursor.boundary)
  }
}
