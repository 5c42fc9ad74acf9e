// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// If `RunSearch` finds no equal bytes in a run, we search for the position at which it differs
/// least from a needle, a short piece of a neighbouring run.
///
/// `run` and `needle` are the addresses of interleaved `Double` samples.
struct RunAlignment {
  let run: UnsafeRawPointer
  let needle: UnsafeRawPointer
  let channels: Int
  let needleFrames: Int

  /// A position in the run in frames, and the sum of the squared differences from the needle there.
  struct Match {
    var frame: Int
    var squares: Double
  }

  /// The position with the smallest difference. To beat the planned position, another one must have
  /// less than half its squared difference. If several positions are equal, the one nearest to the
  /// planned position wins.
  func best(of positions: SearchPositions, planned: Int) -> Match? {
    var positions = positions
    // positions are in order of their distance from the planned one, which may be outside the run
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

  /// The RMS of the difference at `match`, relative to the RMS of the needle: 0 if both are equal,
  /// and about √2 if they're unrelated.
  func relativeError(of match: Match) -> Double {
    if match.squares == 0 { return 0 }
    let level = finiteSquares(from: nil, below: .infinity)
    let ratio = (match.squares / level).squareRoot()
    // if the samples aren't audio, the sums may overflow
    return ratio.isNaN ? .infinity : ratio
  }

  /// Sums the squared differences at `frame`, and stops once that reaches `bound`.
  private func squares(at frame: Int, below bound: Double) -> Double {
    let start = run + frame &* channels &* MemoryLayout<Double>.stride
    let squares = plainSquares(from: start, below: bound)
    return squares.isFinite ? squares : finiteSquares(from: start, below: bound)
  }

  /// Sums the squared differences at `start`. If a sample isn't finite, neither is the sum.
  private func plainSquares(from start: UnsafeRawPointer, below bound: Double) -> Double {
    typealias Part = SIMD8<Double>
    let partBytes = MemoryLayout<Part>.size
    let wholeBytes = byteCount &- byteCount % partBytes
    // we check the bound after each of these
    let stepBytes = 32 &* partBytes
    var sum = 0.0
    var offset = 0
    while offset < wholeBytes {
      let stop = min(offset &+ stepBytes, wholeBytes)
      var sums = Part.zero
      while offset < stop {
        let difference = (start + offset).read(Part.self) - (needle + offset).read(Part.self)
        sums += difference * difference
        offset &+= partBytes
      }
      sum += sums.sum()
      if sum >= bound { return sum }
    }
    while offset < byteCount {
      let difference = (start + offset).read(Double.self) - (needle + offset).read(Double.self)
      sum += difference * difference
      offset &+= MemoryLayout<Double>.stride
    }
    return sum
  }

  /// The same, but samples that aren't finite count as 0. Without a `start`, we compare the needle
  /// with silence.
  private func finiteSquares(from start: UnsafeRawPointer?, below bound: Double) -> Double {
    var sum = 0.0
    var offset = 0
    while offset < byteCount, sum < bound {
      let sample = start.map { ($0 + offset).read(Double.self) } ?? 0
      let difference = sample.orSilence - (needle + offset).read(Double.self).orSilence
      sum += difference * difference
      offset &+= MemoryLayout<Double>.stride
    }
    return sum
  }

  private var byteCount: Int {
    needleFrames &* channels &* MemoryLayout<Double>.stride
  }
}

extension Double {
  @inline(__always)
  var orSilence: Double { isFinite ? self : 0 }
}
