// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Kernels for one factor, one per row. If the factor is a ratio of small integers, an exact bank
/// has a kernel for every phase that occurs. A fine bank has kernels for evenly spaced phases, a
/// few hundredths of a frame apart, and we interpolate those in between.
struct SincBank {
  /// Kernels per frame, for evenly spaced phases. With `isFine`, there's one more before the first,
  /// and two more after the last, so that four kernels surround every phase.
  let phases: Int
  let isFine: Bool
  /// The first kernel's phase, in units of 1 / `phases` frames, 0 ..< 1.
  let offset: Double
  /// The kernels are stretched by 1 / `scale`.
  let scale: Double
  /// A kernel covers this many frames on either side of a position.
  let half: Int

  /// In a bank with a kernel for every phase.
  private static let maxWeights: UInt64 = 1 << 16

  /// With a kernel for every phase of the positions that `reading` describes. `nil` if that's too
  /// many.
  init?(exactly reading: Reading, _ quality: SincQuality) {
    half = quality.half(scale: reading.scale)
    let most = Self.maxWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* half))
    guard reading.numerator > 0, reading.numerator <= max(most, 1) else { return nil }
    phases = Int(truncatingIfNeeded: reading.numerator)
    isFine = false
    offset = reading.offset
    scale = reading.scale
  }

  /// With evenly spaced phases. We interpolate in between.
  init(finely scale: Double, _ quality: SincQuality) {
    half = quality.half(scale: scale)
    let enough = Double(quality.phases) * scale + (scale < 1 ? 1 : 0)
    phases = Int(truncatingIfNeeded: timedsp_whole_part(enough))
    isFine = true
    offset = 0
    self.scale = scale
  }

  /// For a constant factor. With few phases, the bank has a kernel for each, otherwise for evenly
  /// spaced phases. `nil` if the factor changes, or if the unstretched kernels (`SincPlan.plain`)
  /// will do.
  static func resting(_ reading: Reading, _ quality: SincQuality) -> SincBank? {
    if reading.isMoving { return nil }
    if let exact = SincBank(exactly: reading, quality) { return exact }
    return reading.scale < 1 ? SincBank(finely: reading.scale, quality) : nil
  }

  func isSame(as other: SincBank) -> Bool {
    phases == other.phases && isFine == other.isFine && offset == other.offset
      && scale == other.scale
  }

  static func maxRows(_ quality: SincQuality) -> Int {
    let exact = maxWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* quality.half))
    return max(Int(truncatingIfNeeded: exact), quality.phases &+ 4)
  }

  /// In any bank. At scale s, a bank of evenly spaced phases has up to `quality.phases` × s + 4
  /// rows. Each row has up to 2 × (`quality.half` / s + 8) weights. The product is largest at one
  /// end of the range of scales.
  static func maxWeights(_ quality: SincQuality) -> Int {
    let long = quality.half(scale: TIMEDSP_MIN_FACTOR)
    return max(
      Int(truncatingIfNeeded: maxWeights), (quality.phases &+ 4) &* 2 &* (quality.half &+ 8),
      (quality.phases / 100 &+ 5) &* 2 &* long)
  }

  var kernelCount: Int { 2 &* half }
  var rows: Int { isFine ? phases &+ 3 : phases }
  var weightCount: Int { rows &* kernelCount }

  func build<Real: SincReal>(_ weights: SincWeights<Real>, _ prototype: SincPrototype) {
    for row in upTo(rows) {
      build(row, weights, prototype)
    }
  }

  /// The kernel of a row has the sum 1, and so has an interpolated kernel.
  func build<Real: SincReal>(
    _ row: Int, _ weights: SincWeights<Real>, _ prototype: SincPrototype
  ) {
    let phase = (Double(isFine ? row &- 1 : row) + offset) / Double(phases)
    // The kernels of a fine bank continue one step beyond the end, so that interpolated ones end
    // correctly.
    prototype.fill(
      weights.row(row, kernelCount), half: half, scale: scale, phase: phase, isLong: isFine)
  }

  /// For `phase` in 0 ..< 1. In a fine bank, it's the first of the four rows around the phase,
  /// otherwise the row with exactly this phase.
  @inline(__always)
  func row(at phase: Double) -> Int {
    let distance = phase * Double(phases)
    let row = timedsp_whole_part(isFine ? distance : distance - offset + 0.5)
    return Int(truncatingIfNeeded: row)
  }

  /// In a bank with a kernel for every phase.
  @inline(__always)
  func kernel<Real: SincReal>(
    _ weights: SincWeights<Real>, at phase: Double
  ) -> SincWeights<Real> {
    weights.row(row(at: phase), kernelCount)
  }

  /// From four rows of this bank, for `phase` in 0 ..< 1. With `hasCore`, also the core, the middle
  /// weights in double precision.
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

  /// The weighted sum of four successive rows of `count` numbers. The first one begins at `first`.
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
  /// Stretched by 1 / `scale`, a kernel covers this many frames on either side of a position,
  /// rounded up to whole blocks.
  func half(scale: Double) -> Int {
    // without the subtraction, a rounding error could add a block
    let blocks = Double(half) / (scale * Double(Self.block)) - 1e-9
    return (Int(truncatingIfNeeded: timedsp_whole_part(blocks)) &+ 1) &* Self.block
  }
}
