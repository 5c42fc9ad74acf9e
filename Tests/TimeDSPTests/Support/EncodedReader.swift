// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import TimeDSP

/// Reads audio in packets, like a decoder. After each seek, some frames have wrong samples, and all
/// frame numbers are too high or too low by the same small number.
final class EncodedReader {
  static let packet = 1152

  let audio: [Float]
  let channels: Int
  /// Number of wrong frames after a seek.
  var settling = 0
  /// Largest error of the frame numbers after a seek.
  var farthest = 0
  /// The frames to which the reader was asked to seek.
  private(set) var seeks: [Int] = []
  private(set) var packetsRead = 0
  /// The frame at which the audio ends early, as in a damaged file.
  var brokenAt = Int.max
  private var generator: SplitMix

  private var next = 0
  private var ahead = 0
  private var settled = 0

  init(_ audio: [Float], channels: Int, seed: UInt64 = 1) {
    self.audio = audio
    self.channels = channels
    generator = SplitMix(seed: seed)
  }

  var length: Int { audio.count / channels }

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

  /// The packet that contains a frame.
  func block(_ frame: Int) -> AudioBlock<Float>? {
    if frame != next + ahead { seek(to: frame) }
    let end = min(next + Self.packet, length, brokenAt)
    guard next < end else { return nil }
    packetsRead += 1
    var samples = Array(audio[next * channels..<end * channels])
    for index in 0..<max(min(settled, end) - next, 0) * channels {
      samples[index] = Float.random(in: -1...1, using: &generator)
    }
    defer { next = end }
    return AudioBlock(at: next + ahead, samples)
  }

  private func seek(to frame: Int) {
    seeks.append(frame)
    let off = farthest == 0 ? 0 : Int.random(in: -farthest...farthest, using: &generator)
    next = max(min(frame, length) - max(off, 0), 0) / Self.packet * Self.packet
    ahead = next == 0 ? 0 : off
    settled = next == 0 ? 0 : next + settling
  }
}

extension Array {
  /// The frames in reverse order, calculated with Swift's own functions.
  func framesReversed(_ channels: Int) -> [Element] {
    (0..<count / channels).reversed().flatMap { self[$0 * channels..<($0 + 1) * channels] }
  }
}
