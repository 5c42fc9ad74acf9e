// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The positions in a decode at which we look for a needle. We start with the
/// planned position, and then try the others by their distance from it, the lower one first if
/// there are two.
struct SearchPositions: IteratorProtocol {
  private let planned: Int
  private let lowest: Int
  private let highest: Int
  private var distance: Int
  private var isAfter: Bool

  /// All arguments are in frames, in `0 ... maxFrames`. `decode` and `needle` are lengths, and
  /// `search` is the max distance from `planned`, where we expect the needle. `nil` if it doesn't
  /// fit anywhere.
  init?(decode: Int, needle: Int, planned: Int, search: Int) {
    lowest = max(planned &- search, 0)
    highest = min(planned &+ search, decode &- needle)
    guard lowest <= highest else { return nil }
    self.planned = planned
    // `planned` may be above `highest`, but never below `lowest`
    distance = max(planned &- highest, 0)
    isAfter = distance == 0
  }

  mutating func next() -> Int? {
    while distance <= max(planned &- lowest, highest &- planned) {
      let position = isAfter ? planned &+ distance : planned &- distance
      if isAfter { distance &+= 1 }
      isAfter.toggle()
      if position >= lowest, position <= highest { return position }
    }
    return nil
  }
}

/// Finds the position where a decode differs least from a needle, a short piece of a neighbouring
/// decode.
///
/// `decode` and `needle` are the addresses of interleaved `Double` samples, which must be finite.
struct DecodeAlignment {
  let decode: UnsafeRawPointer
  let needle: UnsafeRawPointer
  let channels: Int
  let needleFrames: Int

  /// A position in the decode, in frames, and the sum of the squared differences from the needle at
  /// that position.
  struct Match {
    var frame: Int
    var squares: Double
  }

  /// The position with the smallest difference. To beat the planned position, another one must have
  /// less than half its squared difference. If there's a tie, the position closest to the planned
  /// one wins.
  func best(of positions: SearchPositions, planned: Int) -> Match? {
    var positions = positions
    // positions are sorted by their distance from the planned one, which may be outside the decode
    guard let nearest = positions.next() else { return nil }
    var best = Match(frame: nearest, squares: squares(at: nearest, below: .infinity))
    var bound = nearest == planned ? best.squares / 2 : best.squares
    while bound > 0, let frame = positions.next() {
      let squares = squares(at: frame, below: bound)
      if squares < bound {
        best = Match(frame: frame, squares: squares)
        bound = squares
      }
    }
    return best
  }

  /// The RMS of the difference at `match`, relative to the RMS of the needle: 0 if they're equal,
  /// and about √2 if they're unrelated.
  func relativeError(of match: Match) -> Double {
    if match.squares == 0 { return 0 }
    var level = 0.0
    for index in upTo(needleFrames &* channels) {
      level += needle.sample(index) * needle.sample(index)
    }
    let ratio = (match.squares / level).squareRoot()
    // the sums may overflow if the samples aren't really audio
    return ratio.isNaN ? .infinity : ratio
  }

  /// Sums the squared differences at `frame`, but stops when the sum reaches `bound`.
  private func squares(at frame: Int, below bound: Double) -> Double {
    typealias Part = SIMD8<Double>
    let start = decode + frame &* channels &* MemoryLayout<Double>.stride
    let byteCount = needleFrames &* channels &* MemoryLayout<Double>.stride
    let partBytes = MemoryLayout<Part>.size
    let wholeBytes = byteCount &- byteCount % partBytes
    // we check the bound after this many bytes
    let stepBytes = 32 &* partBytes
    var sum = 0.0
    var offset = 0
    while offset < wholeBytes {
      let stop = min(offset &+ stepBytes, wholeBytes)
      var sums = Part.zero
      while offset < stop {
        let difference =
          (start + offset).loadUnaligned(as: Part.self)
          - (needle + offset).loadUnaligned(as: Part.self)
        sums += difference * difference
        offset &+= partBytes
      }
      sum += sums.sum()
      if sum >= bound { return sum }
    }
    while offset < byteCount {
      let difference =
        (start + offset).loadUnaligned(as: Double.self)
        - (needle + offset).loadUnaligned(as: Double.self)
      sum += difference * difference
      offset &+= MemoryLayout<Double>.stride
    }
    return sum
  }

}

/// Decides if two decodes of interleaved `Double` samples contain the same audio. They may, even if
/// every single sample is different.
///
/// A decoder with noise substitution makes up new noise each time, at the same level. It only does
/// that at high frequencies (above 4 kHz in AAC), so we compare the lower ones.
struct DecodeSimilarity {
  let one: UnsafeRawPointer
  let other: UnsafeRawPointer
  let frames: Int
  let channels: Int

  /// A difference with a mean square up to this is inaudible: 1/1000 of full scale, squared.
  private static let inaudible = 1e-6
  /// Similar decodes differ by at most this much, relative to their level: 1/4, squared.
  private static let similar = 1.0 / 16
  /// If low frequencies make up less than this, the audio is just noise: 1/10, squared.
  private static let little = 1.0 / 100

  /// The sums of the squares of two decodes, and of their difference.
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
    // if it's just noise, we can only compare the level
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

  /// The same for the low frequencies. We apply two moving averages over `window` frames, which
  /// together make a triangle, to remove most of the audio above `rate / window` Hz.
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
  @inline(__always)
  fileprivate func sample(_ index: Int) -> Double {
    (self + index &* MemoryLayout<Double>.stride).loadUnaligned(as: Double.self)
  }
}
