// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Two runs of interleaved `Double` samples may contain the same audio, even if all of their
/// samples differ. This decides it.
///
/// A decoder with noise substitution makes new noise each time, at the same level. It's at high
/// frequencies, for AAC from 4 kHz on, so we compare the lower ones.
struct RunSimilarity {
  let one: UnsafeRawPointer
  let other: UnsafeRawPointer
  let frames: Int
  let channels: Int

  /// Nobody hears a difference with a mean square up to this: 1/1000 of full scale, squared.
  private static let inaudible = 1e-6
  /// Similar runs differ by no more, relative to their level: 1/4, squared.
  private static let similar = 1.0 / 16
  /// If low frequencies have a smaller share, the audio is noise alone: 1/10, squared.
  private static let little = 1.0 / 100

  /// The sums of the squares of two runs, and of their difference.
  private struct Squares {
    var one = 0.0
    var other = 0.0
    var difference = 0.0

    var louder: Double { max(one, other) }
    var softer: Double { min(one, other) }

    mutating func add(_ first: Double, _ second: Double) {
      one += first * first
      other += second * second
      difference += (first - second) * (first - second)
    }
  }

  func areSimilar(rate: Int) -> Bool {
    let all = plainSquares()
    let samples = Double(frames) * Double(channels)
    if all.difference <= samples * Self.inaudible { return true }
    let low = lowSquares(window: max(rate / 3_000, 1))
    // with noise alone, we can only compare its level
    if low.louder < all.louder * Self.little { return all.louder <= 4 * all.softer }
    return low.difference <= low.louder * Self.similar
  }

  private func plainSquares() -> Squares {
    var squares = Squares()
    for index in 0..<max(frames &* channels, 0) {
      squares.add(one.sample(index), other.sample(index))
    }
    return squares
  }

  /// For the low frequencies. Two moving averages over `window` frames, together a triangle, remove
  /// most of the audio above `rate / window` Hz.
  private func lowSquares(window: Int) -> Squares {
    let count = (frames &- 2 &* window) &* channels
    guard window > 1, count > 0 else { return plainSquares() }
    var squares = Squares()
    for index in 0..<max(count, 0) {
      squares.add(average(one, index, window), average(other, index, window))
    }
    return squares
  }

  private func average(_ samples: UnsafeRawPointer, _ index: Int, _ window: Int) -> Double {
    var sum = 0.0
    for offset in 1..<max(2 &* window, 1) {
      let weight = min(offset, 2 &* window &- offset)
      sum += Double(weight) * samples.sample(index &+ (offset &- 1) &* channels)
    }
    return sum / Double(window &* window)
  }
}

extension UnsafeRawPointer {
  /// 0 if it isn't finite.
  @inline(__always)
  fileprivate func sample(_ index: Int) -> Double {
    (self + index &* MemoryLayout<Double>.stride).read(Double.self).orSilence
  }
}
