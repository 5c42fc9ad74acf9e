// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A bank of kernels for one factor, one kernel per row. An exact bank has a kernel for every phase
/// that occurs, which is possible if the factor is a ratio of small integers. A fine bank has
/// kernels for evenly spaced phases, a few hundredths of a frame apart, and kernels for phases in
/// between are interpolated.
struct SincBank {
  /// Number of kernels per frame, for evenly spaced phases. With `isFine`, there is one more kernel
  /// before the first, and two more after the last, so that four kernels surround every phase.
  let phases: Int
  /// Whether kernels for phases between two rows are interpolated, as in a fine bank.
  let isFine: Bool
  /// The phase of the first kernel, in units of 1 / `phases` frames, 0 ..< 1.
  let offset: Double
  /// The kernels are stretched by 1 / `scale`.
  let scale: Double
  /// Number of frames on either side of a position that a kernel covers.
  let half: Int

  /// Maximum number of weights in a bank that has a kernel for every phase.
  private static let maxWeights: UInt64 = 1 << 16

  /// Creates a bank with a kernel for every phase of the positions that `reading` describes; `nil`
  /// if there are too many phases.
  init?(exactly reading: Reading, _ quality: SincQuality) {
    half = quality.half(scale: reading.scale)
    let most = Self.maxWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* half))
    guard reading.numerator > 0, reading.numerator <= max(most, 1) else { return nil }
    phases = Int(truncatingIfNeeded: reading.numerator)
    isFine = false
    offset = reading.offset
    scale = reading.scale
  }

  /// Creates a bank of evenly spaced phases, between which kernels are interpolated.
  init(finely scale: Double, _ quality: SincQuality) {
    half = quality.half(scale: scale)
    let enough = Double(quality.phases) * scale + (scale < 1 ? 1 : 0)
    phases = Int(truncatingIfNeeded: timedsp_whole_part(enough))
    isFine = true
    offset = 0
    self.scale = scale
  }

  /// The bank for a constant factor. If there are few phases, it has a kernel for every phase,
  /// otherwise kernels for evenly spaced phases. `nil` if the factor changes, or if the unstretched
  /// kernels (`SincPlan.plain`) are sufficient.
  static func resting(_ reading: Reading, _ quality: SincQuality) -> SincBank? {
    if reading.isMoving { return nil }
    if let exact = SincBank(exactly: reading, quality) { return exact }
    return reading.scale < 1 ? SincBank(finely: reading.scale, quality) : nil
  }

  func isSame(as other: SincBank) -> Bool {
    phases == other.phases && isFine == other.isFine && offset == other.offset
      && scale == other.scale
  }

  /// Maximum number of rows of any bank.
  static func maxRows(_ quality: SincQuality) -> Int {
    let exact = maxWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* quality.half))
    return max(Int(truncatingIfNeeded: exact), quality.phases &+ 4)
  }

  /// Maximum number of weights of any bank. At scale s, a bank of evenly spaced phases has up to
  /// `quality.phases` × s + 4 rows. Each row has up to 2 × (`quality.half` / s + 8) weights. The
  /// product is largest at one end of the range of scales.
  static func maxWeights(_ quality: SincQuality) -> Int {
    let long = quality.half(scale: TIMEDSP_MIN_FACTOR)
    return max(
      Int(truncatingIfNeeded: maxWeights), (quality.phases &+ 4) &* 2 &* (quality.half &+ 8),
      (quality.phases / 100 &+ 5) &* 2 &* long)
  }

  /// Number of weights per kernel.
  var kernelCount: Int { 2 &* half }
  var rows: Int { isFine ? phases &+ 3 : phases }
  /// Number of weights in all kernels together.
  var weightCount: Int { rows &* kernelCount }

  /// Computes all kernels.
  func build<Real: SincReal>(_ weights: SincWeights<Real>, _ prototype: SincPrototype) {
    for row in upTo(rows) {
      build(row, weights, prototype)
    }
  }

  /// Computes the kernel of a row. Its sum is normalized to 1, so the sum of an interpolated kernel
  /// is 1, too.
  func build<Real: SincReal>(
    _ row: Int, _ weights: SincWeights<Real>, _ prototype: SincPrototype
  ) {
    let phase = (Double(isFine ? row &- 1 : row) + offset) / Double(phases)
    // Kernels from which other kernels are interpolated continue one step beyond the end, so that
    // the interpolated kernels end correctly.
    prototype.fill(
      weights.row(row, kernelCount), half: half, scale: scale, phase: phase, isLong: isFine)
  }

  /// The row for `phase`, 0 ..< 1. If kernels are interpolated (`isFine`), this is the first of the
  /// four rows that surround the phase, otherwise the row with exactly this phase.
  @inline(__always)
  func row(at phase: Double) -> Int {
    let distance = phase * Double(phases)
    let row = timedsp_whole_part(isFine ? distance : distance - offset + 0.5)
    return Int(truncatingIfNeeded: row)
  }

  /// The kernel for `phase`, in a bank that has a kernel for every phase.
  @inline(__always)
  func kernel<Real: SincReal>(
    _ weights: SincWeights<Real>, at phase: Double
  ) -> SincWeights<Real> {
    weights.row(row(at: phase), kernelCount)
  }

  /// Interpolates the kernel for `phase`, 0 ..< 1, from four rows of this bank into `target`. With
  /// `hasCore`, also interpolates the core, the middle weights in double precision.
  @inline(__always)
  func interpolate<Real: SincReal>(
    _ weights: SincWeights<Real>, at phase: Double, hasCore: Bool, into target: SincWeights<Real>
  ) {
    let distance = phase * Double(phases)
    let row = timedsp_whole_part(distance)
    let parts = CubicWeights(at: distance - Double(row))
    let first = weights.row(Int(truncatingIfNeeded: row), kernelCount)
    Self.mix(first.all, kernelCount, by: parts, into: target.all)
    if hasCore { Self.mix(first.cores, SincQuality.core, by: parts, into: target.cores) }
  }

  /// Writes the weighted sum of four successive rows of `count` numbers to `target`. The first row
  /// begins at `first`.
  @inline(__always)
  private static func mix<Real: SincReal>(
    _ first: UnsafePointer<Real>, _ count: Int, by parts: CubicWeights,
    into target: UnsafeMutablePointer<Real>
  ) {
    let second = first + count
    let third = second + count
    let fourth = third + count
    for tap in upTo(count, by: Real.blockCount) {
      let mixed = Real.weighed(
        first.block(tap), second.block(tap), third.block(tap), fourth.block(tap), by: parts)
      UnsafeMutableRawPointer(target + tap).write(mixed)
    }
  }
}

extension SincQuality {
  /// Number of frames on either side of a position that a kernel stretched by 1 / `scale` covers,
  /// rounded up to whole blocks.
  func half(scale: Double) -> Int {
    // the subtraction prevents a rounding error from adding a block
    let blocks = Double(half) / (scale * Double(Self.block)) - 1e-9
    return (Int(truncatingIfNeeded: timedsp_whole_part(blocks)) &+ 1) &* Self.block
  }
}
