// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation

/// A sample type, with the functions that the tests need.
protocol TestSample: Equatable, Sendable {
  static var format: TimeDSPFormat { get }

  /// The bit pattern, which distinguishes NaNs and zeros.
  var bits: UInt64 { get }
  var value: Double { get }

  /// Rounds a value of the plain model as the library would.
  init(model value: Double)

  /// A random value in the usual range of the type.
  static func noise(using generator: inout SplitMix) -> Self
}

extension Int16: TestSample {
  static var format: TimeDSPFormat { TIMEDSP_S16 }
  var bits: UInt64 { UInt64(UInt16(bitPattern: self)) }
  var value: Double { Double(self) }
  init(model value: Double) {
    self.init(value.rounded(.toNearestOrEven).held(to: -32768...32767))
  }
  static func noise(using generator: inout SplitMix) -> Int16 {
    Int16.random(in: .min ... .max, using: &generator)
  }
}

extension Int32: TestSample {
  static var format: TimeDSPFormat { TIMEDSP_S32 }
  var bits: UInt64 { UInt64(UInt32(bitPattern: self)) }
  var value: Double { Double(self) }
  init(model value: Double) {
    self.init(value.rounded(.toNearestOrEven).held(to: -2_147_483_648...2_147_483_647))
  }
  static func noise(using generator: inout SplitMix) -> Int32 {
    Int32.random(in: .min ... .max, using: &generator)
  }
}

extension Float: TestSample {
  static var format: TimeDSPFormat { TIMEDSP_F32 }
  var bits: UInt64 { UInt64(bitPattern) }
  var value: Double { Double(self) }
  init(model value: Double) { self = Float(value) }
  static func noise(using generator: inout SplitMix) -> Float {
    Float.random(in: -1...1, using: &generator)
  }
}

extension Double: TestSample {
  static var format: TimeDSPFormat { TIMEDSP_F64 }
  var bits: UInt64 { bitPattern }
  var value: Double { self }
  init(model value: Double) { self = value }
  static func noise(using generator: inout SplitMix) -> Double {
    Double.random(in: -1...1, using: &generator)
  }
}

extension Double {
  fileprivate func held(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}

/// Interleaved frames of random samples.
func noise<S: TestSample>(
  _: S.Type, frames: Int, channels: Int = 1, using generator: inout SplitMix
) -> [S] {
  (0..<frames * channels).map { _ in S.noise(using: &generator) }
}

/// The bit patterns of samples. It isn't an array, because a failed `#expect(one == other)` lists
/// the differences between arrays, which takes hours for long ones.
struct Bits: Equatable, CustomStringConvertible {
  let patterns: [UInt64]

  var description: String { "\(patterns.count) samples, from \(patterns.prefix(8))" }
}

func bits<S: TestSample>(_ samples: [S]) -> Bits { Bits(patterns: samples.map(\.bits)) }

func bits(_ bytes: [UInt8]) -> Bits { Bits(patterns: bytes.map(UInt64.init)) }

/// A random number generator that returns the same numbers in every run (Steele, Lea, Flood: Fast
/// Splittable Pseudorandom Number Generators).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// All interpolation methods.
let everyInterpolation = (0..<UInt32(TIMEDSP_N_INTERPOLATIONS)).map(
  TimeDSPInterpolation.init(rawValue:))

/// The interpolation methods that use only a few frames. At the position of an input frame, these
/// methods return the frame unchanged.
let allInterpolations = everyInterpolation.filter { $0 != TIMEDSP_SINC }

/// `true` if the tests of `make check-all` run, too, with more seeds and long streams.
let isLong = ProcessInfo.processInfo.environment["RETROGRADE_LONG"] == "1"

/// `short`, or in `make check-all` also `long`.
func seeds(_ short: Range<Int>, long: Range<Int>) -> Range<Int> {
  isLong ? short.lowerBound..<long.upperBound : short
}
