// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Kernels for positions between two frames, one after another in memory. An exact bank has a
/// kernel for every position that a ratio of small integers can reach. A fine bank has a kernel for
/// every few hundredths of a frame, and kernels in between are interpolated.
struct SincBank {
  /// Number of kernels per frame. The first kernel is for position 0. A fine bank has one more
  /// kernel before it, and two after the last one.
  let phases: Int
  /// Whether positions between the kernels are interpolated.
  let isFine: Bool
  /// Common offset of all positions from the kernels, in steps, below 1.
  let offset: Double
  /// Scale of the kernels. Their length is proportional to 1 / scale.
  let scale: Double
  /// Number of frames on either side of a position that a kernel covers.
  let half: Int

  /// Maximum number of weights in a bank of exact positions.
  private static let mostWeights: UInt64 = 1 << 16

  /// A bank for the positions that `reading` describes; `nil` if there are too many positions.
  init?(exactly reading: Reading, _ quality: SincQuality) {
    half = quality.half(scale: reading.scale)
    let most = Self.mostWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* half))
    guard reading.numerator > 0, reading.numerator <= max(most, 1) else { return nil }
    phases = Int(truncatingIfNeeded: reading.numerator)
    isFine = false
    offset = reading.offset
    scale = reading.scale
  }

  /// A bank for any position.
  init(finely scale: Double, _ quality: SincQuality) {
    half = quality.half(scale: scale)
    let enough = Double(quality.phases) * scale + (scale < 1 ? 1 : 0)
    phases = Int(truncatingIfNeeded: timedsp_whole_part(enough))
    isFine = true
    offset = 0
    self.scale = scale
  }

  /// The bank for a constant factor, no matter how that factor was reached. It has exact positions
  /// if they are few. Otherwise, it is a stretched fine bank. It is `nil` if the unstretched
  /// kernels suffice, or if the factor changes.
  static func resting(_ reading: Reading, _ quality: SincQuality) -> SincBank? {
    if reading.isMoving { return nil }
    if let exact = SincBank(exactly: reading, quality) { return exact }
    return reading.scale < 1 ? SincBank(finely: reading.scale, quality) : nil
  }

  func isSame(as other: SincBank) -> Bool {
    phases == other.phases && isFine == other.isFine && offset == other.offset
      && scale == other.scale
  }

  /// Upper bound of the number of rows of any bank.
  static func mostRows(_ quality: SincQuality) -> Int {
    let exact = mostWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* quality.half))
    return max(Int(truncatingIfNeeded: exact), quality.phases &+ 4)
  }

  /// Upper bound of the number of weights of any bank. A fine bank has (phases s + 4) rows of 2
  /// (half / s + 8) weights at scale s. This number has its maximum at one end of the range of
  /// scales.
  static func mostWeights(_ quality: SincQuality) -> Int {
    let long = quality.half(scale: TIMEDSP_MIN_FACTOR)
    return max(
      Int(truncatingIfNeeded: mostWeights), (quality.phases &+ 4) &* 2 &* (quality.half &+ 8),
      (quality.phases / 100 &+ 5) &* 2 &* long)
  }

  /// Number of weights per kernel.
  var kernelCount: Int { 2 &* half }
  var rows: Int { isFine ? phases &+ 3 : phases }
  /// Number of weights in all kernels.
  var weightCount: Int { rows &* kernelCount }

  /// Computes all weights.
  func build<Real: SincReal>(_ weights: SincWeights<Real>, _ prototype: SincPrototype) {
    var row = 0
    while row < rows {
      build(row, weights, prototype)
      row &+= 1
    }
  }

  /// Computes the weights of a row. The sum of each kernel is normalized to 1. The sum of every
  /// interpolated kernel is then 1, too.
  func build<Real: SincReal>(
    _ row: Int, _ weights: SincWeights<Real>, _ prototype: SincPrototype
  ) {
    let phase = (Double(isFine ? row &- 1 : row) + offset) / Double(phases)
    // Kernels of a fine bank end one step late. Kernels that are interpolated between them then end
    // correctly.
    prototype.fill(
      weights.row(row, kernelCount), half: half, scale: scale, phase: phase, isLong: isFine)
  }

  /// The row for `phase`, which must be below 1. In an exact bank, it is the row of this phase. In
  /// a fine bank, it is the first of the four rows around it.
  @inline(__always)
  func row(at phase: Double) -> Int {
    let way = phase * Double(phases)
    let row = timedsp_whole_part(isFine ? way : way - offset + 0.5)
    return Int(truncatingIfNeeded: row)
  }

  /// The kernel for `phase`. `phase` must be one of the phases of the bank.
  @inline(__always)
  func kernel<Real: SincReal>(
    _ weights: SincWeights<Real>, at phase: Double
  ) -> SincWeights<Real> {
    weights.row(row(at: phase), kernelCount)
  }

  /// Interpolates the kernel for any `phase` below 1 into `target`. With `hasCore`, interpolates
  /// its core, too.
  @inline(__always)
  func interpolate<Real: SincReal>(
    _ weights: SincWeights<Real>, at phase: Double, hasCore: Bool, into target: SincWeights<Real>
  ) {
    let way = phase * Double(phases)
    let row = timedsp_whole_part(way)
    let parts = CubicWeights(at: way - Double(row))
    let first = weights.row(Int(truncatingIfNeeded: row), kernelCount)
    Self.mix(first.all, kernelCount, by: parts, into: target.all)
    if hasCore { Self.mix(first.cores, SincQuality.core, by: parts, into: target.cores) }
  }

  /// Adds four rows of `count` numbers with the weights `parts`. The first row begins at `first`.
  @inline(__always)
  private static func mix<Real: SincReal>(
    _ first: UnsafePointer<Real>, _ count: Int, by parts: CubicWeights,
    into target: UnsafeMutablePointer<Real>
  ) {
    let second = first + count
    let third = second + count
    let fourth = third + count
    var tap = 0
    while tap < count {
      let mixed = Real.weighed(
        first.block(tap), second.block(tap), third.block(tap), fourth.block(tap), by: parts)
      UnsafeMutableRawPointer(target + tap).write(mixed)
      tap &+= Real.blockCount
    }
  }
}

extension SincQuality {
  /// Number of frames on either side of a position for a kernel stretched by 1 / scale.
  func half(scale: Double) -> Int {
    // a rounding error in the quotient must not add a block
    let blocks = Double(half) / (scale * Double(Self.block)) - 1e-9
    return (Int(truncatingIfNeeded: timedsp_whole_part(blocks)) &+ 1) &* Self.block
  }
}
