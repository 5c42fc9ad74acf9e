// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// One output, with its bits in the table in `OutputHashes.swift`.
struct HashCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// Returns the bits of the output.
  let run: @Sendable () throws -> Bits

  var testDescription: String { name }

  /// FNV-1a over the samples.
  func hash() throws -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for bits in try run().patterns { hash = (hash ^ bits) &* 0x100_0000_01B3 }
    return hash
  }

  private static let windows = [
    "auto": TIMESTRETCH_AUTO, "music": TIMESTRETCH_MUSIC, "speech": TIMESTRETCH_SPEECH,
    "low latency": TIMESTRETCH_LOW_LATENCY,
  ]

  /// `EverySound` in this format. The other channels are delayed and inverted.
  private static func sound<S: TestSample>(_: S.Type, _ channels: Int) -> [S] {
    let scale: Double = S.self == Int16.self ? 0x1p15 : S.self == Int32.self ? 0x1p31 : 1
    let samples = EverySound.samples.map { S(model: $0 * scale) }
    guard channels > 1 else { return samples }
    let inverted = EverySound.samples.map { S(model: $0 * -scale) }
    return samples.indices.flatMap { frame in
      (0..<channels).map { $0 == 0 ? samples[frame] : inverted[max(frame - 5 * $0, 0)] }
    }
  }

  static func stretch<S: TestSample>(
    _: S.Type, _ window: String, _ factor: Double, channels: Int = 1, moves: Bool = false
  ) -> HashCase {
    let name = "stretch \(S.self) × \(channels), \(window), \(factor)\(moves ? ", moving" : "")"
    return HashCase(name: name) {
      let stretcher = try TestStretcher<S>(
        channels: channels, layout: channels == 3 ? TIMEDSP_PLANAR : TIMEDSP_INTERLEAVED,
        rate: 48_000, window: windows[window] ?? TIMESTRETCH_AUTO, factor: factor)
      let changes = [
        TestStretcher<S>.Change(frame: 20_000, factor: 1),
        TestStretcher<S>.Change(frame: 40_000, factor: 0.7, within: 10_000),
        TestStretcher<S>.Change(frame: 70_000, factor: 1.4, within: 2000),
        TestStretcher<S>.Change(frame: 120_000, factor: 1, within: 40),
        TestStretcher<S>.Change(frame: 160_000, factor: 3),
      ]
      return bits(
        try stretcher.run(
          sound(S.self, channels), frames: 4000, capacity: 20_000, changes: moves ? changes : []))
    }
  }

  static func chain(
    _ factor: Double, kept: Bool, _ semitones: Double, _ formants: TestFormants = .init(),
    channels: Int = 1
  ) -> HashCase {
    let name = "chain × \(channels), \(factor), \(kept), \(semitones), \(formants)"
    return HashCase(name: name) {
      let chain = try TestChain<Float>(
        channels: channels, factor: factor, keepsPitch: kept, semitones: semitones,
        formants: formants, rate: 48_000)
      let input = sound(Float.self, channels)
      let half = input.count / 2 / channels * channels
      var all = try chain.process(Array(input[..<half]), piece: 4000)
      try chain.ramp(
        to: 1.1 * factor, keepsPitch: kept, semitones: -semitones, formants: formants, within: 400)
      all += try chain.process(Array(input[half...]), piece: 4000)
      return bits(try all + chain.drain())
    }
  }

  static func scale<S: TestSample>(
    _: S.Type, _ interpolation: TimeDSPInterpolation, _ quality: Int, _ factor: Double,
    to end: Double? = nil
  ) -> HashCase {
    let name =
      "scale \(S.self), \(interpolation.rawValue) \(quality), \(factor) to \(end ?? factor)"
    return HashCase(name: name) {
      var generator = SplitMix(seed: 80)
      let input = noise(S.self, frames: 3000, channels: 2, using: &generator)
      let scaler = try TestScaler<S>(
        channels: 2, interpolation: interpolation, quality: quality, factor: factor)
      if let end { try scaler.ramp(to: end, within: 1000) }
      return bits(try scaler.run(input))
    }
  }

  static let all: [HashCase] = {
    var all: [HashCase] = []
    for window in ["auto", "music", "speech", "low latency"] {
      all += [0.6, 1.5, 3].map { stretch(Float.self, window, $0) }
      all.append(stretch(Float.self, window, 1.3, moves: true))
      all.append(stretch(Int16.self, window, 1.3))
      all.append(stretch(Int32.self, window, 0.8, channels: 2))
      all.append(stretch(Double.self, window, 1.2, channels: 3))
    }
    all.append(stretch(Float.self, "auto", 1.1, channels: 12))
    all.append(chain(1.25, kept: true, 3))
    all.append(chain(1, kept: false, -5))
    all.append(chain(0.8, kept: true, 4, .init(areKept: true)))
    all.append(chain(1.2, kept: false, -3, .init(areKept: true), channels: 2))
    all.append(chain(1, kept: true, 0, .init(semitones: 3)))
    all.append(chain(1.5, kept: false, 0))
    all += (0...10).map { scale(Float.self, TIMEDSP_SINC, $0, 0.7312345) }
    for factor in [0.05, 0.5, 1 / 1.1, 1.5, 3] {
      all.append(scale(Int16.self, TIMEDSP_SINC, 6, factor))
      all.append(scale(Int32.self, TIMEDSP_SINC, 6, factor))
      all.append(scale(Float.self, TIMEDSP_SINC, 6, factor))
      all.append(scale(Double.self, TIMEDSP_SINC, 10, factor))
    }
    for interpolation in everyInterpolation {
      all.append(scale(Float.self, interpolation, 4, 0.7))
      all.append(scale(Double.self, interpolation, 4, 1.7))
      all.append(scale(Int16.self, interpolation, 4, 2, to: 0.4))
    }
    return all
  }()
}

/// The bits of the output mustn't change by accident. If you change them on purpose, run
///
///     RETROGRADE_UPDATE_HASHES=1 swift test --filter OutputHashTests
///
/// and put the table that it prints into `OutputHashes.swift`. Before that, check with
/// `make quality` that it sounds as good as before.
@Suite struct OutputHashTests {
  private static let updates =
    ProcessInfo.processInfo.environment["RETROGRADE_UPDATE_HASHES"] == "1"

  @Test(.enabled(if: !updates), arguments: HashCase.all)
  func `The bits of the output are those of the table`(_ output: HashCase) throws {
    let hash = try output.hash()
    #expect(outputHashes[output.name] == hash, "\(String(hash, radix: 16))")
  }

  @Test func `The table has a row for each output`() {
    #expect(Set(outputHashes.keys) == Set(HashCase.all.map(\.name)))
  }

  @Test(.enabled(if: updates)) func printTheTable() throws {
    for output in HashCase.all {
      print("  \"\(output.name)\": 0x\(String(try output.hash(), radix: 16, uppercase: true)),")
    }
  }
}
