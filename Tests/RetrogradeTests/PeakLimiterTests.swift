// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

/// Of steps of 8 frames.
private let rate = 8000

/// Interleaved noise of up to half of full scale, with bursts beyond full scale.
private func bursts(channels: Int = 2, seed: UInt64) -> [Double] {
  var state = seed
  return (0..<8000 * channels).map { index in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let noise = Float(Int32(truncatingIfNeeded: state >> 32)) / Float(1 << 32)
    let frame = index / channels
    let isLoud = frame % 2000 < 5 || (3000..<3400).contains(frame) || frame > 7990
    return Double(noise * (isLoud ? 6 : 1))
  }
}

/// The output of the limiter without its delay. It gets pieces of `piece` frames.
private func limited<Sample: BinaryFloatingPoint>(
  _ input: [Sample], channels: Int = 2, piece: Int = 10_000
) -> [Sample] {
  var limiter = PeakLimiter(rate: rate, channels: channels)
  var output = input + Array(repeating: 0, count: limiter.delay * channels)
  for first in stride(from: 0, to: output.count, by: piece * channels) {
    let end = min(first + piece * channels, output.count)
    output.withUnsafeMutableBufferPointer {
      limiter.limit(UnsafeMutableBufferPointer(rebasing: $0[first..<end]))
    }
  }
  return Array(output.dropFirst(limiter.delay * channels))
}

/// The gain of each frame, from the definition: for each step, over the whole sound.
private func gains(of input: [Double], channels: Int) -> [Double] {
  let (step, frames) = (rate / 1000, input.count / channels)
  let steps = frames / step + 20
  let allowed = (0..<steps).map { index in
    let samples = input[
      min(index * step, frames) * channels..<min((index + 1) * step, frames) * channels]
    return 1 / max(samples.map(abs).max() ?? 0, 1)
  }
  let least = (0..<steps).map { allowed[max($0 - 10, 0)...$0].min() ?? 1 }
  // between step `index` and the one before it
  func mean(_ index: Int) -> Double { least[index..<index + 10].reduce(0, +) / 10 }
  return (0..<frames).map { frame in
    let (index, share) = (frame / step, Double(frame % step) / Double(step))
    return mean(index) * (1 - share) + mean(index + 1) * share
  }
}

@Test(arguments: [1, 2, 5])
func aLimiterHasTheGainOfItsDefinition(channels: Int) {
  let input = bursts(channels: channels, seed: 1)
  let output = limited(input, channels: channels)
  for (frame, gain) in gains(of: input, channels: channels).enumerated() {
    for sample in frame * channels..<(frame + 1) * channels {
      #expect(abs(output[sample] - input[sample] * gain) < 1e-12)
    }
  }
}

@Test(arguments: [2, 3, 4] as [UInt64])
func noLimitedSampleExceedsFullScale(seed: UInt64) {
  let input = bursts(seed: seed)
  #expect((limited(input).map(abs).max() ?? 2) <= 1)
  #expect((limited(input.map(Float.init)).map(abs).max() ?? 2) <= 1)
}

@Test func farFromPeaksALimiterChangesNothing() {
  let input = bursts(seed: 5).map(Float.init)
  let output = limited(input)
  let peaks = input.indices.filter { abs(input[$0]) > 1 }.map { $0 / 2 }
  let kept = (0..<8000).filter { frame in
    peaks.allSatisfy { abs(frame - $0) > 11 * 8 }
  }
  #expect(kept.count > 5000)
  for frame in kept {
    #expect(output[2 * frame] == input[2 * frame] && output[2 * frame + 1] == input[2 * frame + 1])
  }
}

@Test(arguments: [1, 7, 8, 48, 999])
func aLimiterDoesNotDependOnHowItsInputIsCut(piece: Int) {
  let input = bursts(seed: 6)
  #expect(limited(input, piece: piece) == limited(input))
}

@Test(arguments: [0, 1, 48, 49])
func aLimiterTakesSoundsOfAnyLength(frames: Int) {
  let input = bursts(seed: 7).suffix(frames * 2).map { $0 / 6 }
  #expect(limited(input) == input)
}

@Test func numbersThatAreNoneDoNotSilenceALimiter() {
  var input = [Float](repeating: 0.25, count: 2000)
  (input[400], input[900]) = (.nan, .infinity)
  let output = limited(input)
  #expect(output[400].isNaN && output[900] == .infinity)
  #expect(output.indices.allSatisfy { $0 == 400 || $0 == 900 || output[$0] == 0.25 })
}
