// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSP

@testable import TimeDSPCore

/// The largest blocks of input and of output, in frames.
struct Cuts: Sendable {
  var input = 100_000
  var output = 100_000
}

/// A way to process a stream.
struct StreamCase: Sendable, CustomTestStringConvertible {
  let name: String
  var cutsOutput = true
  /// Processes the same input each time, in blocks of these sizes. Returns the bits of the output.
  let run: @Sendable (Cuts) throws -> Bits

  var testDescription: String { name }

  private static func sound<S: TestSample>(_: S.Type, _ frames: Int, _ channels: Int) -> [S] {
    var generator = SplitMix(seed: 51)
    return noise(S.self, frames: frames, channels: channels, using: &generator)
  }

  static func scaler<S: TestSample>(
    _: S.Type, _ channels: Int, _ interpolation: TimeDSPInterpolation, _ quality: Int,
    _ factor: Double
  ) -> StreamCase {
    StreamCase(name: "\(S.self) × \(channels), \(interpolation.rawValue) \(quality), \(factor)") {
      cuts in
      let scaler = try TestScaler<S>(
        channels: channels, interpolation: interpolation, quality: quality, factor: factor)
      let input = sound(S.self, 600, channels)
      return bits(
        try scaler.run(input, cuttingInput: { cuts.input }, cuttingOutput: { cuts.output }))
    }
  }

  /// The first scaler of a stream hands over to a second one, with longer kernels, before a ramp.
  static func handOver(_ first: TimeDSPInterpolation) -> StreamCase {
    StreamCase(name: "hand over from \(first.rawValue)", cutsOutput: false) { cuts in
      let before = try TestScaler<Double>(interpolation: first, factor: 1.5)
      let next = try TestScaler<Double>(interpolation: TIMEDSP_SINC, quality: 9, factor: 1)
      let input = sound(Double.self, 4000, 1)
      for start in stride(from: 0, to: 3000, by: cuts.input) {
        _ = try before.process(input[start..<min(start + cuts.input, 3000)], capacity: 6000)
      }
      try before.ramp(to: 0.1, within: 8)
      next.core.adopt(before.core)
      return bits(try next.run(Array(input[3000...])))
    }
  }

  static func fit(
    _ layout: TimeDSPLayout, _ interpolation: TimeDSPInterpolation, _ count: Int, _ length: Int
  ) -> StreamCase {
    StreamCase(name: "\(count) to \(length), \(interpolation.rawValue) \(layout.rawValue)") {
      cuts in
      let scaler = try TestScaler<Int16>(
        channels: 3, layout: layout, interpolation: interpolation, count: count, length: length)
      let input = sound(Int16.self, count, 3)
      return bits(
        try scaler.run(input, cuttingInput: { cuts.input }, cuttingOutput: { cuts.output }))
    }
  }

  static func stretcher(_ window: TimeStretchWindow, moves: Bool) -> StreamCase {
    StreamCase(
      name: "window \(window.rawValue)\(moves ? ", moving" : "")", cutsOutput: !moves
    ) { cuts in
      let stretcher = try TestStretcher<Int16>(channels: 2, window: window, factor: 1.3)
      let changes = [
        TestStretcher<Int16>.Change(frame: 400, factor: 0.6, within: 500),
        TestStretcher<Int16>.Change(frame: 1100, factor: 1),
        TestStretcher<Int16>.Change(frame: 1900, factor: 2.5, within: 80),
      ]
      return bits(
        try stretcher.run(
          sound(Int16.self, 2500, 2), frames: cuts.input, capacity: cuts.output,
          changes: moves ? changes : []))
    }
  }

  /// Every kind of sound that the stretcher treats in its own way: attacks, voices, dense transients.
  static let everySound = StreamCase(name: "every sound") { cuts in
    let stretcher = try TestStretcher<Float>(rate: 48_000, window: TIMESTRETCH_AUTO, factor: 1.5)
    return bits(
      try stretcher.run(
        EverySound.samples.map { Float($0) }, frames: max(cuts.input, 37),
        capacity: max(cuts.output, 500)))
  }

  static func chain(_ use: ChainUse) -> StreamCase {
    StreamCase(name: use.testDescription) { cuts in
      let frames = sound(Float.self, 3000, 2)
      let chain = try use.chain(channels: 2)
      var all = try chain.process(Array(frames.prefix(3000)), piece: cuts.input)
      try chain.ramp(
        to: 0.9 * use.factor, keepsPitch: true, semitones: 2, formants: .init(semitones: 2),
        within: 40)
      all += try chain.process(Array(frames.dropFirst(3000)), piece: cuts.input)
      return bits(try all + chain.drain(most: max(cuts.output, 7)))
    }
  }

  static func timeScaler(_ pitch: Pitch) -> StreamCase {
    StreamCase(name: "TimeScaler, \(pitch)") { cuts in
      var scaler = try TimeScaler<Float>(factor: 1.3, pitch: pitch, sampleRate: 8_000, channels: 2)
      let made = try sound(Float.self, 3000, 2).blocks(2 * cuts.input).flatMap {
        try scaler.process($0)
      }
      return bits(try made + scaler.finish())
    }
  }

  static let all: [StreamCase] = {
    var all = [everySound]
    // with ratios of small numbers, several frames share a kernel, and are computed together
    for factor in [0.4, 1 / 1.1, 1.2345678, 1.5] {
      for (quality, channels) in [(3, 1), (6, 1), (6, 2), (6, 3), (10, 2)] {
        all.append(scaler(Float.self, channels, TIMEDSP_SINC, quality, factor))
        all.append(scaler(Int16.self, channels, TIMEDSP_SINC, quality, factor))
      }
      all.append(scaler(Double.self, 2, TIMEDSP_SINC, 6, factor))
      all.append(scaler(Int32.self, 2, TIMEDSP_SINC, 6, factor))
    }
    for interpolation in everyInterpolation {
      for factor in [0.01, 0.37, 1, 1.73, 9] {
        all.append(scaler(Double.self, 1, interpolation, 0, factor))
      }
      for (count, length) in [(1, 9), (50, 1), (50, 3), (50, 49), (50, 120), (3, 200)] {
        all.append(fit(TIMEDSP_INTERLEAVED, interpolation, count, length))
        all.append(fit(TIMEDSP_PLANAR, interpolation, count, length))
      }
    }
    for window in StretchLawTests.windows {
      all += [stretcher(window, moves: false), stretcher(window, moves: true)]
    }
    all += [TIMEDSP_LINEAR, TIMEDSP_SMOOTH, TIMEDSP_SINC].map(handOver)
    all += [Pitch.followsSpeed, .kept, .kept(semitones: 3)].map(timeScaler)
    return all + ChainUse.all.map(chain)
  }()
}

extension Array {
  /// The array, cut into blocks of `count` elements.
  fileprivate func blocks(_ count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0...].prefix(count)) }
  }
}

/// Settings of a chain. Some need only a scaler or only a stretcher, others need both, in either
/// order.
struct ChainUse: Sendable, CustomTestStringConvertible {
  var known: KnownFactor
  var keepsPitch = false
  var semitones = 0.0
  var formants = TestFormants()

  var factor: Double { known.value }
  var testDescription: String { "\(known), \(keepsPitch), \(semitones), \(formants)" }

  func chain(channels: Int = 1) throws -> TestChain<Float> {
    try TestChain<Float>(
      channels: channels, factor: factor, keepsPitch: keepsPitch, semitones: semitones,
      formants: formants)
  }

  static let all = [
    ChainUse(known: KnownFactor(1, 1, 1)), ChainUse(known: KnownFactor(0.7, 7, 10)),
    ChainUse(known: KnownFactor(1.5, 3, 2), keepsPitch: true),
    ChainUse(known: KnownFactor(1.5, 3, 2), keepsPitch: true, semitones: -7),
    ChainUse(known: KnownFactor(1.2, 6, 5), keepsPitch: true, semitones: 5),
    ChainUse(known: KnownFactor(2, 2, 1), semitones: 7),
    ChainUse(known: KnownFactor(1, 1, 1), semitones: -12),
    ChainUse(known: KnownFactor(0.8, 4, 5), keepsPitch: true, semitones: 7.5),
    ChainUse(known: KnownFactor(1, 1, 1), semitones: 3, formants: .init(areKept: true)),
    ChainUse(known: KnownFactor(1, 1, 1), formants: .init(semitones: -4)),
  ]
}

/// A factor and the corresponding fraction.
struct KnownFactor: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  let value: Double
  let numerator: Int
  let denominator: Int

  init(_ value: Double, _ numerator: Int, _ denominator: Int) {
    self.value = value
    self.numerator = numerator
    self.denominator = denominator
  }

  var description: String { "\(numerator)/\(denominator)" }
  var testDescription: String { description }

  /// `floor (frames × factor)`.
  func length(_ frames: Int) -> Int {
    Int(UInt128(frames) * UInt128(numerator) / UInt128(denominator))
  }

  static let grid = [
    KnownFactor(0.01, 1, 100), KnownFactor(0.1, 1, 10), KnownFactor(0.3, 3, 10),
    KnownFactor(0.5, 1, 2), KnownFactor(0.7, 7, 10), KnownFactor(0.9, 9, 10),
    KnownFactor(1 / 1.1, 10, 11), KnownFactor(1, 1, 1), KnownFactor(1.1, 11, 10),
    KnownFactor(1.5, 3, 2), KnownFactor(2, 2, 1), KnownFactor(3, 3, 1),
    KnownFactor(.pi, 245_850_922, 78_256_779), KnownFactor(100, 100, 1),
    KnownFactor(1.0.nextUp, 3_002_399_751_580_332, 3_002_399_751_580_331),
    KnownFactor(1.0.nextDown, 6_004_799_503_160_661, 6_004_799_503_160_662),
    KnownFactor(517.0 / 1009, 517, 1009), KnownFactor(44_100.0 / 48_000, 147, 160),
  ]
}

/// A sample format, a layout and a number of channels.
struct Shape: Sendable, CustomTestStringConvertible {
  let format: TimeDSPFormat
  let layout: TimeDSPLayout
  let channels: Int

  var sampleType: any TestSample.Type {
    switch format {
    case TIMEDSP_S16: Int16.self
    case TIMEDSP_S32: Int32.self
    case TIMEDSP_F32: Float.self
    default: Double.self
    }
  }

  var testDescription: String { "\(sampleType) \(layout.rawValue) × \(channels)" }

  static let all = [TIMEDSP_S16, TIMEDSP_S32, TIMEDSP_F32, TIMEDSP_F64].flatMap { format in
    [TIMEDSP_INTERLEAVED, TIMEDSP_PLANAR].flatMap { layout in
      [1, 2, 3, 6, 8].map { Shape(format: format, layout: layout, channels: $0) }
    }
  }
}

/// Two laws for everything that changes the length of a stream. They're only tested here.
@Suite struct StreamLawTests {
  @Test(arguments: StreamCase.all)
  func `The output does not depend on how the stream is cut`(_ stream: StreamCase) throws {
    let whole = try stream.run(Cuts())
    let cuts =
      [Cuts(input: 1), Cuts(input: 37), Cuts(input: 500)]
      + (stream.cutsOutput
        ? [Cuts(input: 7, output: 4), Cuts(input: 500, output: 251), Cuts(output: 7)] : [])
    for cut in cuts {
      let isSame = try stream.run(cut) == whole
      #expect(isSame, "\(cut.input) in, \(cut.output) out")
    }
  }

  /// Each channel of any shape equals that channel when it is scaled alone, in one piece.
  @Test(arguments: Shape.all, everyInterpolation)
  func `Every channel is scaled as if it were alone, however it is cut`(
    shape: Shape, interpolation: TimeDSPInterpolation
  ) throws {
    try expectSameOutput(shape.sampleType, shape, interpolation)
  }

  private func expectSameOutput<S: TestSample>(
    _: S.Type, _ shape: Shape, _ interpolation: TimeDSPInterpolation
  ) throws {
    var generator = SplitMix(seed: UInt64(shape.channels))
    let channels = shape.channels
    let ramps = [0.01, 0.37, 1 / 1.1, 1, 1.73, 9].map { Ramp(start: $0, end: $0, frames: 0) }
    for ramp in ramps + (channels < 4 ? Array(Ramp.all[2...6]) : []) {
      let frames = ramp.frames > 0 ? 150 : ramp.start < 0.1 ? 450 : 60
      let input = noise(S.self, frames: frames, channels: channels, using: &generator)
      func scaler(_ channels: Int) throws -> TestScaler<S> {
        let scaler = try TestScaler<S>(
          channels: channels, layout: shape.layout, interpolation: interpolation,
          factor: ramp.start)
        if ramp.frames > 0 { try scaler.ramp(to: ramp.end, within: ramp.frames) }
        return scaler
      }
      let output = try scaler(channels).run(
        input, cuttingInput: { Int.random(in: 0...9, using: &generator) },
        cuttingOutput: { Int.random(in: 0...7, using: &generator) })
      for channel in 0..<channels {
        let one = stride(from: channel, to: input.count, by: channels).map { input[$0] }
        let made = stride(from: channel, to: output.count, by: channels).map { output[$0] }
        let isSame = bits(made) == bits(try scaler(1).run(one))
        #expect(isSame, "\(ramp.testDescription), channel \(channel)")
      }
    }
  }

  // ---- lengths ----

  private func expectLengths(
    _ factor: KnownFactor, _ frames: [Int], _ made: (Int) throws -> Int
  ) throws {
    for frames in frames { #expect(try made(frames) == factor.length(frames), "\(frames) frames") }
  }

  private func silence(_ frames: Int) -> [Float] { [Float](repeating: 0.1, count: frames) }

  @Test(arguments: KnownFactor.grid, everyInterpolation)
  func `n frames become floor of n times the factor in a scaler`(
    factor: KnownFactor, interpolation: TimeDSPInterpolation
  ) throws {
    try expectLengths(factor, Array(0...5) + [10, 49, 50, 99, 100, 101, 1009]) { frames in
      try TestScaler<Int16>(interpolation: interpolation, factor: factor.value)
        .run([Int16](repeating: 7, count: frames)).count
    }
  }

  @Test(arguments: KnownFactor.grid)
  func `n frames become floor of n times the factor in a stretcher and in the API`(
    factor: KnownFactor
  ) throws {
    try expectLengths(factor, [0, 1, 10, 777]) { frames in
      try TestStretcher<Float>(factor: factor.value).run(silence(frames)).count
    }
    try expectLengths(factor, [0, 3, 257]) { frames in
      try TimeScaler.scaled(
        silence(frames), by: factor.value, pitch: .followsSpeed, sampleRate: 8_000
      ).count
    }
    try expectLengths(factor, [0, 1, 501]) { frames in
      try TimeScaler.scaled(silence(frames), by: factor.value, sampleRate: 8_000).count
    }
  }

  @Test(arguments: ChainUse.all)
  func `n frames become floor of n times the factor in a chain`(use: ChainUse) throws {
    try expectLengths(use.known, [0, 1, 99, 3001]) { frames in
      let chain = try use.chain()
      return try chain.process(silence(frames)).count + chain.drain().count
    }
    try expectLengths(use.known, [0, 1, 2001]) { frames in
      let pitch = Pitch(
        isKept: use.keepsPitch, semitones: use.semitones,
        formants: use.formants.areKept ? .keep : .follow,
        formantSemitones: use.formants.semitones)
      return try TimeScaler.scaled(
        silence(frames), by: use.factor, pitch: pitch, sampleRate: 48_000
      ).count
    }
  }
}
