// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Words of 64 bytes, for processors that bring these into any order in one
// instruction. Elsewhere they take several registers, and shorter ones are faster.

extension FrameReversal {
  /// Turns the run around if its frames fill long words, but for a few bytes: 21 of 3
  /// bytes, 10 of 6, 5 of 12, 2 of 24. Returns whether they do.
  func runInLongWords() -> Bool {
    switch frameBytes {
    case 4: turnWords(frame: UInt32.self) { (word: SIMD16<UInt32>) in word.turned }
    case 8: turnWords(frame: UInt64.self) { (word: SIMD8<UInt64>) in word.turned }
    case 16: turnWords(frame: SIMD2<UInt64>.self) { (word: SIMD8<UInt64>) in word.pairsTurned }
    case 3: turnThirds(SIMD64<UInt8>.self, half: UInt16.self)
    case 6: turnThirds(SIMD32<UInt16>.self, half: UInt32.self)
    case 12: turnThirds(SIMD16<UInt32>.self, half: UInt64.self)
    case 24: turnThirds(SIMD8<UInt64>.self, half: SIMD2<UInt64>.self)
    default: return false
    }
    return true
  }

  /// Frames of three lanes of a `Word`.
  @inline(__always)
  private func turnThirds<Word: SIMD & BitwiseCopyable, Half: BitwiseCopyable>(
    _ word: Word.Type, half: Half.Type
  ) {
    turnPart(
      used: Word.scalarCount / 3 &* frameBytes, half: half,
      up: { (word: Word, kept) in word.thirdsUp(kept) },
      down: { (word, kept) in word.thirdsDown(kept) })
  }
}

extension SIMD16<UInt32> {
  /// The lanes in falling order.
  @inline(__always)
  fileprivate var turned: Self { Self(lowHalf: highHalf.turned, highHalf: lowHalf.turned) }
}

extension SIMD8<UInt64> {
  @inline(__always)
  fileprivate var turned: Self { Self(lowHalf: highHalf.turned, highHalf: lowHalf.turned) }

  /// Pairs of lanes in falling order.
  @inline(__always)
  fileprivate var pairsTurned: Self {
    Self(lowHalf: highHalf.halvesTurned, highHalf: lowHalf.halvesTurned)
  }
}

extension SIMD {
  /// The frames of three lanes at the end, in falling order at the beginning, and
  /// behind them what is there in `kept`.
  @inline(__always)
  fileprivate func thirdsUp(_ kept: Self) -> Self {
    kept.replacingThirds(from: 0, with: self, downFrom: Self.scalarCount &- 3)
  }

  /// The frames of three lanes at the beginning, in falling order at the end, and
  /// before them what is there in `kept`.
  @inline(__always)
  fileprivate func thirdsDown(_ kept: Self) -> Self {
    let used = Self.scalarCount / 3 &* 3
    return kept.replacingThirds(
      from: Self.scalarCount &- used, with: self, downFrom: used &- 3)
  }

  /// The frames of `other` from the lane `source` downwards, put in from `target`
  /// upwards. The compiler makes one shuffle of it if it unrolls the loops, so none of
  /// them is long; it does not where they are `for` loops.
  @inline(__always)
  private func replacingThirds(from target: Int, with other: Self, downFrom source: Int) -> Self {
    let frames = Self.scalarCount / 3
    var turned = self
    for part in 0..<3 {
      var frame = part &* frames / 3
      while frame < (part &+ 1) &* frames / 3 {
        let (to, from) = (target &+ 3 &* frame, source &- 3 &* frame)
        turned[to] = other[from]
        turned[to &+ 1] = other[from &+ 1]
        turned[to &+ 2] = other[from &+ 2]
        frame &+= 1
      }
    }
    return turned
  }
}
