// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import TimeDSP

/// A reader with selectable faults. The reader seeks only if the requested frame is not the one
/// after the last block.
final class OddReader {
  struct ReadsTooMuch: Error {}

  let audio: [Float]
  let channels: Int
  /// Number of frames after which the reader ends.
  var length: Int
  var blockFrames = 700
  /// Largest error of the frame numbers after a seek.
  var jitter = 0
  /// Largest error of any frame number, also without a seek.
  var rounding = 0
  /// Number of wrong frames after a seek.
  var settling = 0
  /// Returns the number of frames by which the reader begins too late after a seek to this frame.
  var late: (Int) -> Int = { _ in 0 }
  /// Whether the reader seeks again for each block.
  var hasNoMemory = false
  /// Number of frames by which the reader begins too early after a seek.
  var back = 0
  /// The reader can seek only to multiples of this number.
  var grid = 1
  /// The block that the reader returns at its end.
  var atEnd: AudioBlock<Float>?
  /// Number of calls that are still allowed. The reader throws if the caller does not stop.
  var readsLeft = Int.max
  private(set) var reads = 0
  private var generator: SplitMix

  /// Whether the reader reports its end. If not, it returns its last block again and again.
  var tellsEnd = true

  private var next = 0
  private var ahead = 0
  private var settled = 0
  /// The frame number at which the reader can continue; `nil` after a seek.
  private var position: Int?

  init(frames: Int, channels: Int = 1, seed: UInt64 = 1) {
    audio = Self.sound(frames: frames, channels: channels, seed: seed)
    self.channels = channels
    length = frames
    generator = SplitMix(seed: seed)
  }

  /// The frames to which the reader was asked to seek.
  private(set) var seeks: [Int] = []

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

  func block(_ frame: Int) throws -> AudioBlock<Float>? {
    reads += 1
    readsLeft -= 1
    if readsLeft < 0 { throw ReadsTooMuch() }
    if tellsEnd, frame >= length, hasNoMemory || frame != position { return atEnd }
    if frame != position || hasNoMemory { seek(to: frame) }
    let end = min(next + blockFrames, length)
    guard next < end else { return atEnd }
    if rounding > 0, next > 0 { ahead = Int.random(in: -rounding...rounding, using: &generator) }
    var samples = Array(audio[next * channels..<end * channels])
    for index in 0..<max(min(settled, end) - next, 0) * channels {
      samples[index] = Float.random(in: -1...1, using: &generator)
    }
    defer { (next, position) = (end, end + ahead) }
    return AudioBlock(at: next + ahead, samples)
  }

  private func seek(to frame: Int) {
    seeks.append(frame)
    let off = jitter == 0 ? 0 : Int.random(in: -jitter...jitter, using: &generator)
    next = max(min(frame, length) - max(off, 0) - back, 0) / grid * grid
    next += late(frame)
    (ahead, settled, position) = next == 0 ? (0, 0, nil) : (off, next + settling, nil)
  }
}

extension Array {
  /// The frames in reverse order, calculated with Swift's own functions.
  func framesReversed(_ channels: Int) -> [Element] {
    (0..<count / channels).reversed().flatMap { self[$0 * channels..<($0 + 1) * channels] }
  }
}
