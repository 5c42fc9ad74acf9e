// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// The requirements for a quality level: the SNDR (ratio of the signal to noise and distortion) in
/// Float and in Double, in dB; the end of the pass band, as a fraction of the Nyquist frequency;
/// and the attenuation of aliases, in dB.
struct QualityFloor: Sendable, CustomTestStringConvertible {
  let quality: Int
  let sndr: Double
  let exactSNDR: Double
  let passband: Double
  let alias: Double

  var testDescription: String { "quality \(quality)" }

  static let all = [
    QualityFloor(quality: 0, sndr: 53, exactSNDR: 53, passband: 0.74, alias: 50),
    QualityFloor(quality: 2, sndr: 82, exactSNDR: 82, passband: 0.87, alias: 78),
    QualityFloor(quality: 4, sndr: 105, exactSNDR: 105, passband: 0.91, alias: 92),
    QualityFloor(quality: 6, sndr: 138, exactSNDR: 138, passband: 0.95, alias: 120),
    QualityFloor(quality: 8, sndr: 142, exactSNDR: 145, passband: 0.953, alias: 130),
    QualityFloor(quality: 10, sndr: 146, exactSNDR: 150, passband: 0.96, alias: 140),
  ]
}

@Suite struct SincQualityTests {
  static let factors = [0.5, 1 / 1.1, 0.9, 1.1, 1.5, 2]

  @Test(arguments: QualityFloor.all, factors)
  func sinesStayClean(floor: QualityFloor, factor: Double) throws {
    for hertz in [1000.0, 5000, 15_000] {
      let frequency = 2 * Double.pi * hertz / 48_000
      guard frequency < floor.passband * .pi * min(factor, 1) else { continue }
      let wave = sine(frequency, frames: 3000)
      let single = try scaled(wave.map { Float($0) }, floor.quality, factor).map { Double($0) }
      #expect(SineFit(single, frequency: frequency / factor).sndr >= floor.sndr)
      let double = try scaled(wave, floor.quality, factor)
      #expect(SineFit(double, frequency: frequency / factor).sndr >= floor.exactSNDR)
    }
  }

  /// Several tones are measured, as in snr_bw_test of libsamplerate. A single tone could make one
  /// quality level look worse by chance, because its residue is at a side lobe of one kernel, but
  /// between two side lobes of a different kernel.
  @Test func everyQualityIsBetterThanTheOneBefore() throws {
    let tones = stride(from: 0.43, to: 0.453, by: 0.003).map { 2 * Double.pi * $0 }
    var best = 0.0
    for quality in [4, 5, 6, 7, 8, 9, 10] {
      let worst = try tones.map { tone in
        let output = try scaled(sine(tone, frames: 2500).map { Float($0) }, quality, 1.001)
        return SineFit(output.map { Double($0) }, frequency: tone / 1.001).sndr
      }.min()!
      #expect(worst > best, "quality \(quality): \(worst) dB")
      best = worst
    }
  }

  /// The quality at factors for which no kernels are precomputed.
  @Test(arguments: [0.7312345678, 1.2345678], [6, 10])
  func anyRatioIsAsGood(factor: Double, quality: Int) throws {
    let frequency = 2 * Double.pi * 5000 / 48_000
    let wave = sine(frequency, frames: 3000)
    let floor = QualityFloor.all.first { $0.quality == quality }!
    let single = try scaled(wave.map { Float($0) }, quality, factor).map { Double($0) }
    #expect(SineFit(single, frequency: frequency / factor).sndr >= floor.sndr)
    let double = try scaled(wave, quality, factor)
    #expect(SineFit(double, frequency: frequency / factor).sndr >= floor.exactSNDR)
  }

  @Test(arguments: QualityFloor.all, [0.5, 2])
  func passbandReachesAsFarAsItSays(floor: QualityFloor, factor: Double) throws {
    let frequency = floor.passband * .pi * min(factor, 1)
    let output = try scaled(sine(frequency, frames: 3000), floor.quality, factor)
    #expect(SineFit(output, frequency: frequency / factor).amplitude >= 0.5 * 0.5.squareRoot())
  }

  /// The tones have frequencies above the Nyquist frequency of the output, so they must be removed.
  /// Otherwise they would become aliases.
  @Test(arguments: QualityFloor.all)
  func nothingComesBackAsAnAlias(floor: QualityFloor) throws {
    for step in 0...10 {
      let frequency = Double.pi * (0.5005 + 0.0498 * Double(step))
      let output = try scaled(sine(frequency, frames: 3000), floor.quality, 0.5)
      let power = output.reduce(0) { $0 + $1 * $1 } / Double(output.count)
      #expect(10 * log10(power / 0.125) <= -floor.alias)
    }
  }

  @Test func everyQualityIsBetterThanTheOneBelow() {
    let table = (0...10).map { SincQuality(UInt32($0)) }
    for (lower, higher) in zip(table, table.dropFirst()) {
      #expect(lower.half < higher.half)
      #expect(lower.attenuation < higher.attenuation)
      #expect(lower.cutoff < higher.cutoff)
      #expect(lower.phases <= higher.phases)
    }
  }

  /// Returns the middle of the output, which does not depend on the frames that are repeated at the
  /// ends.
  private func scaled<S: TestSample>(
    _ wave: [S], _ quality: Int, _ factor: Double
  ) throws -> [S] {
    let scaler = try TestScaler<S>(
      interpolation: TIMEDSP_SINC, quality: quality, factor: factor)
    let edge = Int(Double(scaler.core.latency + 1) * factor) + 1
    return Array(try scaler.run(wave).dropFirst(edge).dropLast(edge))
  }
}
