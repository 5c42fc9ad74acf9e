// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// I0 (√`x`), the modified Bessel function of the first kind and order 0, by its series: the sum of
/// the squares of (√x / 2)^k / k! (Abramowitz, Stegun, 9.6.12). It continues smoothly as J0 below
/// 0.
func besselI0(squared x: Double) -> Double {
  let quarter = x / 4
  var sum = 1.0
  var term = 1.0
  var k = 1.0
  while abs(term) > abs(sum) * 0x1p-60 {
    term *= quarter / (k * k)
    sum += term
    k += 1
  }
  return sum
}

/// What a quality of 0 ... 10 means for sinc interpolation.
///
/// A kernel is the weights of the frames around a position: sin (π × c × t) / (π × t) times a
/// Kaiser window. It's an ideal low-pass filter apart from its transition band. The quality sets
/// its length. If the output is shorter than the input, we stretch the kernel by 1 / factor, to
/// filter out frequencies that the output can't represent and that would alias.
///
///     quality                        0    1    2    3    4    5    6    7    8    9   10
///     frames on either side          8   16   24   32   40   64   96  104  112  120  136
///     pass band (-3 dB), of Nyquist .745 .836 .875 .894 .911 .933 .950 .952 .954 .956 .960
///     stop band, -dB                52   71   81   92   95  114  128  133  136  141  145
///     KiB, 2 channels of F32      1067  864  831  863  895 1031 1541 1641 1742 1843 2046
///
/// The stop band begins at the Nyquist frequency. Its worst-case attenuation gets better with every
/// step in quality. A single tone may still be attenuated less at a higher quality, if it happens
/// to fall on a lobe of the response, but between two lobes at the lower quality.
///
/// The memory in the table (`Scaler.memoryBytes`) is enough for every factor. S32 and F64 need up
/// to twice as much. Each additional channel needs up to 650 KiB for history and scratch memory,
/// most of which is touched only near factor 0.01. We compute the kernels for the initial factor
/// when the scaler is created, and kernels for any later constant factor when we need them. A
/// kernel only depends on the factor.
///
/// We sum S16 and F32 in single precision, from the ends of the kernel inwards. For F32 at quality
/// 6 and above, we sum the middle 16 frames in double precision. We sum S32 and F64 in double
/// precision. A channel's result doesn't depend on the number of channels.
///
/// The gain at DC is 1, with an error of up to 1e-7 for F32 and 1e-14 for F64. Below quality 6, a
/// single frame of F32 may have a rounding error of up to 4e-7.
///
/// We filter positions that are exactly on a frame like any others. You only get the input bit for
/// bit if the factor is a constant 1, or if the input and the output have the same length. While
/// the factor is changing and below 1, every frame needs a new kernel, which takes several times as
/// long.
///
/// Lengths and frequencies in the table are for output that's at least as long as the input. If
/// it's shorter, multiply lengths by 1 / factor, and frequencies by the factor.
struct SincQuality {
  /// How many frames an unstretched kernel covers on either side of a position.
  let half: Int
  /// The attenuation in the stop band, in dB.
  private let attenuation: Double
  /// Steps per frame in `SincPrototype` and in fine banks (`SincBank`). The error of cubic
  /// interpolation between the steps is at most 0.5 / phases^4. The 0.5 is 3/128 of the largest
  /// fourth derivative of sinc, pi^4 / 5, rounded up.
  let phases: Int

  static let highest: UInt32 = 10

  /// We pad kernels with zeros to a multiple of this many frames on either side.
  static let block = 8

  /// How many frames the longest kernel of any quality covers on either side at `scale`, which is 1
  /// for all factors of 1 and above.
  static func longestHalf(scale: Double) -> Int { SincQuality(highest).half(scale: scale) }

  /// The number of weights in the core of a kernel (`SincDot`), counting both sides.
  static let core = 16

  /// True if sums of 24 bits wouldn't be precise enough for the attenuation, so that the middle
  /// weights of kernels must be in double precision.
  var needsCore: Bool { attenuation > 120 }

  /// The Kaiser window's shape parameter for `attenuation`, using Kaiser's formula for more than 50
  /// dB (Oppenheim, Schafer, Discrete-Time Signal Processing, section 7.5.3).
  var beta: Double { 0.1102 * (attenuation - 8.7) }

  /// The frequency where the response has dropped to one half, relative to the Nyquist frequency.
  /// It's half a transition band below the stop band. According to Kaiser's formula, a transition
  /// band is (attenuation - 7.95) / 14.36 cycles per kernel length wide.
  var cutoff: Double { 1 - (attenuation - 7.95) / (14.36 * Double(2 &* half)) }
}

/// The kernel function, sampled every few hundredths of a frame: the impulse response of an ideal
/// low-pass filter with cutoff c, sin (π × c × t) / (π × t), times a Kaiser window. We can interpolate
/// a kernel from these samples however far it's stretched, so we don't need a bank of kernels while
/// the factor is changing.
///
/// A kernel ends where the window has dropped to a small value. But it isn't 0 beyond that: it
/// continues smoothly, because we need those values to interpolate the kernel near its end.
struct SincPrototype {
  /// The kernel function from step -1 to a few steps beyond its end.
  private let samples: Row<Double>
  private let end: Double
  /// Steps per frame, for an unstretched kernel.
  let phases: Double

  init(_ quality: SincQuality, _ memory: inout Arena) throws(TimeDSPStatus) {
    samples = try memory.row(quality.half &* quality.phases &+ 6)
    end = Double(quality.half &* quality.phases)
    phases = Double(quality.phases)
    let square = quality.beta * quality.beta
    let peak = besselI0(squared: square)
    for step in upTo(samples.count) {
      let distance = Double(step &- 1) / phases
      let offset = distance / Double(quality.half)
      let window = besselI0(squared: square * (1 - offset * offset)) / peak
      samples[step] =
        distance == 0
        ? quality.cutoff : window * sinPi(quality.cutoff * distance) / (.pi * distance)
    }
  }

  /// The values at two distances from the middle, in steps, the spacing of `samples`. They're 0 at
  /// `end` and beyond.
  @inline(__always)
  private func values(at ways: SIMD2<Double>, before end: Double) -> SIMD2<Double> {
    let (a, b) = (abs(ways[0]), abs(ways[1]))
    if a < end && b < end { return values(a, b) }
    return SIMD2(a < end ? values(a, a)[0] : 0, b < end ? values(b, b)[1] : 0)
  }

  /// The values at two distances, computed as in `CubicInterpolant`.
  @inline(__always)
  private func values(_ a: Double, _ b: Double) -> SIMD2<Double> {
    let (stepA, stepB) = (timedsp_whole_part(a), timedsp_whole_part(b))
    let nearA = samples.address(Int(truncatingIfNeeded: stepA), 4)
    let nearB = samples.address(Int(truncatingIfNeeded: stepB), 4)
    let weight = SIMD2(a - Double(stepA), b - Double(stepB))
    let y0 = SIMD2(nearA[1], nearB[1])
    let y1 = SIMD2(nearA[2], nearB[2])
    let slope = y1 - y0
    let bend = slope - (y0 - SIMD2(nearA[0], nearB[0]))
    let nextBend = (SIMD2(nearA[3], nearB[3]) - y1) - slope
    let bent = bend + (nextBend - bend) * ((weight + 1) * (1.0 / 3))
    return y0 + weight * (slope + bent * ((weight - 1) * 0.5))
  }

  /// Fills in the kernel for a position `phase` after a frame. It covers 2 × `half` frames, is
  /// stretched by 1 / `scale`, and sums to 1. If `isLong` is set, it continues one step beyond its
  /// end.
  func fill<Real: SincReal>(
    _ weights: SincWeights<Real>, half: Int, scale: Double, phase: Double, isLong: Bool = false
  ) {
    let pace = scale * phases
    let end = isLong ? end + 1.5 : end
    // from the position to the frame at or before it, and to the next frame
    let nearest = SIMD2(phase, 1 - phase)
    var sums = SIMD2<Double>.zero
    for tap in upTo(half) {
      let ways = (nearest + Double(tap)) * pace
      let pair = values(at: ways, before: end)
      sums += pair
      weights.all[half &- 1 &- tap] = Real(pair[0] * scale)
      weights.all[half &+ tap] = Real(pair[1] * scale)
    }
    let gain = 1 / (sums[0] + sums[1])
    fillCore(weights.cores, pace: pace, nearest: nearest, gain: gain, end: end)
    for tap in upTo(2 &* half) {
      weights.all[tap] = Real(weights.all[tap].exact * (gain / scale))
    }
  }

  /// Fills the core, which has the weights next to the position in double precision.
  private func fillCore(
    _ core: UnsafeMutablePointer<Double>, pace: Double, nearest: SIMD2<Double>, gain: Double,
    end: Double
  ) {
    let half = SincQuality.core / 2
    for tap in upTo(half) {
      let ways = (nearest + Double(tap)) * pace
      let pair = values(at: ways, before: end) * gain
      core[half &- 1 &- tap] = pair[0]
      core[half &+ tap] = pair[1]
    }
  }
}

/// Kernels for one factor, one per row. If the factor is a ratio of small integers, an exact bank
/// has a kernel for every phase that occurs. A fine bank has kernels for evenly spaced phases, a
/// few hundredths of a frame apart, and we interpolate between them.
struct SincBank: Equatable {
  /// Kernels per frame, for evenly spaced phases. If `isFine` is set, there's one more before the
  /// first and two more after the last, so that every phase has four kernels around it.
  let phases: Int
  let isFine: Bool
  /// The first kernel's phase, in units of 1 / `phases` frames, 0 ..< 1.
  let offset: Double
  /// The kernels are stretched by 1 / `scale`.
  let scale: Double
  /// How many frames a kernel covers on either side of a position.
  let half: Int

  /// The max number of weights in a bank with a kernel for every phase.
  private static let maxWeights: UInt64 = 1 << 16

  /// A bank with a kernel for every phase of the positions that `reading` describes. `nil` if
  /// that's too many.
  init?(exactly reading: Reading, _ quality: SincQuality) {
    half = quality.half(scale: reading.scale)
    let most = Self.maxWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* half))
    guard reading.numerator > 0, reading.numerator <= max(most, 1) else { return nil }
    phases = Int(truncatingIfNeeded: reading.numerator)
    isFine = false
    offset = reading.offset
    scale = reading.scale
  }

  /// A bank with evenly spaced phases. We interpolate in between.
  init(finely scale: Double, _ quality: SincQuality) {
    half = quality.half(scale: scale)
    let enough = Double(quality.phases) * scale + (scale < 1 ? 1 : 0)
    phases = Int(truncatingIfNeeded: timedsp_whole_part(enough))
    isFine = true
    offset = 0
    self.scale = scale
  }

  /// The bank for a constant factor. If there aren't many phases, it has a kernel for each, and
  /// otherwise for evenly spaced phases. `nil` if the factor is changing, or if the unstretched
  /// kernels (`Sinc.plain`) will do.
  static func resting(_ reading: Reading, _ quality: SincQuality) -> SincBank? {
    if reading.isMoving { return nil }
    if let exact = SincBank(exactly: reading, quality) { return exact }
    return reading.scale < 1 ? SincBank(finely: reading.scale, quality) : nil
  }

  static func maxRows(_ quality: SincQuality) -> Int {
    let exact = maxWeights.quotient(by: UInt64(truncatingIfNeeded: 2 &* quality.half))
    return max(Int(truncatingIfNeeded: exact), quality.phases &+ 4)
  }

  /// The max number of weights in any bank. At scale s, a bank of evenly spaced phases has up to
  /// `quality.phases` × s + 4 rows. Each row has up to 2 × (`quality.half` / s + 8) weights. The
  /// product is largest at one of the ends of the range of scales.
  static func maxWeights(_ quality: SincQuality) -> Int {
    let long = quality.half(scale: TIMEDSP_MIN_FACTOR)
    return max(
      Int(truncatingIfNeeded: maxWeights), (quality.phases &+ 4) &* 2 &* (quality.half &+ 8),
      (quality.phases / 100 &+ 5) &* 2 &* long)
  }

  var kernelCount: Int { 2 &* half }
  var rows: Int { isFine ? phases &+ 3 : phases }
  var weightCount: Int { rows &* kernelCount }

  /// The kernel of a row sums to 1, and therefore an interpolated kernel does too.
  func build<Real: SincReal>(_ row: Int, _ weights: SincWeights<Real>, _ prototype: SincPrototype) {
    let phase = (Double(isFine ? row &- 1 : row) + offset) / Double(phases)
    // the kernels of a fine bank continue one step beyond the end, so that interpolated ones end
    // correctly
    prototype.fill(
      weights.row(row, kernelCount), half: half, scale: scale, phase: phase, isLong: isFine)
  }

  /// The row for `phase` in 0 ..< 1. In a fine bank, it's the first of the four rows around the
  /// phase, and otherwise the row with exactly this phase.
  @inline(__always)
  func row(at phase: Double) -> Int {
    let distance = phase * Double(phases)
    let row = timedsp_whole_part(isFine ? distance : distance - offset + 0.5)
    return Int(truncatingIfNeeded: row)
  }

  /// The kernel for `phase`, in a bank with a kernel for every phase.
  @inline(__always)
  func kernel<Real: SincReal>(_ weights: SincWeights<Real>, at phase: Double) -> SincWeights<Real> {
    weights.row(row(at: phase), kernelCount)
  }

  /// Interpolates the kernel for `phase` in 0 ..< 1 from four rows of this bank. If `hasCore` is
  /// set, this includes the core, which has the middle weights in double precision.
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

  /// The weighted sum of four successive rows of `count` numbers, the first of which is at `first`.
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
      UnsafeMutableRawPointer(target + tap).storeBytes(of: mixed, as: Real.Block.self)
    }
  }
}

extension SincQuality {
  init(_ quality: UInt32) {
    switch quality {
    case 0: self.init(half: 8, attenuation: 55, phases: 32)
    case 1: self.init(half: 16, attenuation: 70, phases: 32)
    case 2: self.init(half: 24, attenuation: 80, phases: 32)
    case 3: self.init(half: 32, attenuation: 90, phases: 64)
    case 4: self.init(half: 40, attenuation: 95, phases: 64)
    case 5: self.init(half: 64, attenuation: 114, phases: 64)
    case 6: self.init(half: 96, attenuation: 126.5, phases: 128)
    case 7: self.init(half: 104, attenuation: 132, phases: 128)
    case 8: self.init(half: 112, attenuation: 136, phases: 128)
    case 9: self.init(half: 120, attenuation: 140, phases: 128)
    default: self.init(half: 136, attenuation: 144.2, phases: 128)
    }
  }

  /// How many frames a kernel stretched by 1 / `scale` covers on either side of a position, rounded
  /// up to whole blocks.
  func half(scale: Double) -> Int {
    // without the subtraction, a rounding error could add a block
    let blocks = Double(half) / (scale * Double(Self.block)) - 1e-9
    return (Int(truncatingIfNeeded: timedsp_whole_part(blocks)) &+ 1) &* Self.block
  }
}
