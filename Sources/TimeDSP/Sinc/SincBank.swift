// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Kernels for positions between two frames, one after the other in memory:
/// either for every position that a ratio of small numbers meets, or for every
/// few hundredths of a frame, to be interpolated between.
struct SincBank {
  /// Kernels per frame. The first is the one at 0; in a fine bank there is one
  /// more before it, and two after the last.
  let phases: Int
  /// Whether positions between the kernels are interpolated.
  let isFine: Bool
  /// How far the kernels are stretched: their length is 1 / scale.
  let scale: Double
  /// Frames on either side of a position.
  let half: Int

  /// Most weights in a bank of exact positions.
  private static let mostWeights: UInt64 = 1 << 16

  /// For positions in steps of 1 / `numerator`, if there are few of them.
  init?(exactly numerator: UInt64, scale: Double, _ quality: SincQuality) {
    half = quality.half(scale: scale)
    let most = Self.mostWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* half))
    guard numerator > 0, numerator <= max(most, 1) else { return nil }
    phases = Int(truncatingIfNeeded: numerator)
    isFine = false
    self.scale = scale
  }

  /// For any position.
  init(finely scale: Double, _ quality: SincQuality) {
    half = quality.half(scale: scale)
    let enough = Double(quality.phases) * scale + (scale < 1 ? 1 : 0)
    phases = Int(truncatingIfNeeded: timedsp_whole_part(enough))
    isFine = true
    self.scale = scale
  }

  /// Weights in a kernel, and kernels.
  var kernelCount: Int { 2 &* half }
  var rows: Int { isFine ? phases &+ 3 : phases }

  /// Computes the weights. The sum of each kernel is made 1, and thereby that
  /// of every kernel interpolated between them.
  func build<Real: SincReal>(_ weights: SincWeights<Real>, _ prototype: SincPrototype) {
    var row = 0
    while row < rows {
      let phase = Double(isFine ? row &- 1 : row) / Double(phases)
      // Kernels to be interpolated between end one step late, so that those
      // between them end as they should.
      prototype.fill(
        weights.row(row, kernelCount), half: half, scale: scale, phase: phase,
        isLong: isFine)
      row &+= 1
    }
  }

  /// The kernel at `phase`, a multiple of 1 / `phases` below 1.
  @inline(__always)
  func kernel<Real: SincReal>(
    _ weights: SincWeights<Real>, at phase: Double
  ) -> SincWeights<Real> {
    let row = timedsp_whole_part(phase * Double(phases) + 0.5)
    return weights.row(Int(truncatingIfNeeded: row), kernelCount)
  }

  /// Interpolates the kernel at any `phase` below 1 into `target`, with its
  /// core if that is used.
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

  /// Weighs the four rows of `count` numbers from `first` on.
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
  /// Frames on either side of a position for a kernel stretched by 1 / scale.
  func half(scale: Double) -> Int {
    // A quotient that is off in its last digits must not reach for more.
    let blocks = Double(half) / (scale * Double(Self.block)) - 1e-9
    return (Int(truncatingIfNeeded: timedsp_whole_part(blocks)) &+ 1) &* Self.block
  }
}
