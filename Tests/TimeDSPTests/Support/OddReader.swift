// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A reader with the faults of decoders after a seek. It seeks only if the requested frame isn't the
/// one after the last block.
final class OddReader {
  let audio: [Float]
  var blockFrames = 700
  /// Largest error of the frame numbers after a seek.
  var jitter = 0
  /// Number of wrong frames after a seek.
  var settling = 0
  private var generator: SplitMix

  private var next = 0
  private var ahead = 0
  private var settled = 0
  /// The frame number at which the reader can continue, or `nil` after a seek.
  private var position: Int?

  init(frames: Int, seed: UInt64) {
    audio = Self.sound(frames: frames, channels: 1, seed: seed)
    generator = SplitMix(seed: seed)
  }

  /// Random samples with 24 bits, so that no two frames are equal.
  static func sound(frames: Int, channels: Int, seed: UInt64 = 7) -> [Float] {
    var generator = SplitMix(seed: seed)
    var sound: [Float] = []
    sound.reserveCapacity(frames * channels)
    // a loop, because tests are not optimised, and `map` would take ten times as long
    while sound.count < frames * channels {
      sound.append(Float(Int(generator.next() &>> 40) - 0x80_0000) / 0x80_0000)
    }
    return sound
  }

  /// No samples at the end.
  func block(_ frame: Int) -> (frame: Int, samples: [Float]) {
    if frame != position { seek(to: frame) }
    let end = min(next + blockFrames, audio.count)
    var samples = Array(audio[next..<max(end, next)])
    for index in 0..<max(min(settled, end) - next, 0) {
      samples[index] = Float.random(in: -1...1, using: &generator)
    }
    defer { (next, position) = (end, end + ahead) }
    return (next + ahead, samples)
  }

  private func seek(to frame: Int) {
    let off = jitter == 0 ? 0 : Int.random(in: 0...jitter, using: &generator)
    next = max(min(frame, audio.count) - off, 0)
    (ahead, settled) = next == 0 ? (0, 0) : (off, next + settling)
  }
}

extension Array {
  /// The frames in reverse order, calculated with Swift's own functions.
  func framesReversed(_ channels: Int) -> [Element] {
    (0..<count / channels).reversed().flatMap { self[$0 * channels..<($0 + 1) * channels] }
  }
}
