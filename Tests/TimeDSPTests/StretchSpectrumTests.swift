// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import TimeDSPCore

/// Compares the FFT and the phases with their definitions, computed in `Double`.
@Suite struct StretchSpectrumTests {
  /// An FFT, with its memory and its arrays.
  final class Transform {
    let fft: RealFFT
    let result: Spectrum
    private let memory: UnsafeMutableRawPointer

    init(_ count: Int) {
      var sizes = ScratchMemory(nil)
      _ = Spectrum(RealFFT(count, &sizes, computing: false).room, &sizes)
      memory = .allocate(byteCount: sizes.bytes, alignment: 64)
      var arena = ScratchMemory(memory)
      fft = RealFFT(count, &arena, computing: true)
      result = Spectrum(fft.room, &arena)
    }

    deinit { memory.deallocate() }

    func load(_ input: [Float]) {
      for (index, value) in input.enumerated() {
        let half = index % 2 == 0 ? fft.packed.re : fft.packed.im
        half[index / 2] = value
      }
    }

    var output: [Float] {
      (0..<fft.count).map { ($0 % 2 == 0 ? fft.output.re : fft.output.im)[$0 / 2] }
    }
  }

  static let sizes = [64, 128, 256, 512, 2048] + (isLong ? [4096, 32768] : [])

  /// The error of an FFT is about 0.6 √log2 (count) units in the last place (Schatzman, "Accuracy
  /// of the discrete Fourier transform and the fast Fourier transform", 1996); a wrong sign or
  /// twiddle factor would cause an error of 10^6 units.
  @Test(arguments: sizes)
  func transformIsTheSumOfTheDefinition(count: Int) {
    var generator = SplitMix(seed: 20)
    let input = noise(Float.self, frames: count, using: &generator)
    let transform = Transform(count)
    transform.load(input)
    transform.fft.forward(transform.result)
    let bins =
      count <= 512
      ? Array(0...count / 2)
      : [
        0, 1, 2, 7, 8, 9, count / 4 - 1, count / 4,
        count / 4 + 1, count / 2 - 8, count / 2 - 1, count / 2,
      ]
        + (0..<20).map { _ in
          Int.random(in: 0...count / 2, using: &generator)
        }
    var (error, power) = (0.0, 0.0)
    for bin in bins {
      var (re, im) = (0.0, 0.0)
      for (n, x) in input.enumerated() {
        let angle = 2 * Double.pi * Double(bin * n % count) / Double(count)
        re += Double(x) * cos(angle)
        im -= Double(x) * sin(angle)
      }
      let (a, b) = (Double(transform.result.re[bin]) - re, Double(transform.result.im[bin]) - im)
      error += a * a + b * b
      power += re * re + im * im
    }
    let unit = 0x1p-24 * log2(Double(count)).squareRoot()
    #expect((error / power).squareRoot() < unit)
  }

  @Test(arguments: sizes)
  func inverseBringsTheInputBack(count: Int) {
    var generator = SplitMix(seed: 21)
    let input = noise(Float.self, frames: count, using: &generator)
    let transform = Transform(count)
    transform.load(input)
    transform.fft.forward(transform.result)
    transform.fft.inverse(transform.result)
    let error = zip(input, transform.output).map { abs($0 - $1) }.max() ?? 1
    #expect(error < 0x1p-24 * 2 * Float(log2(Double(count))))
  }

  @Test func turnsAreTheArcTangent() {
    var generator = SplitMix(seed: 22)
    for _ in 0..<500 {
      let x = Lanes.random(in: -1...1, using: &generator)
      let y = Lanes.random(in: -1...1, using: &generator)
      let cycles = ComplexLanes(x, y).cycles
      for lane in 0..<8 {
        let expected = atan2(Double(y[lane]), Double(x[lane])) / (2 * .pi)
        #expect(abs(Double(cycles[lane]) - expected) < 1e-7)
      }
    }
    let (x, y): (Lanes, Lanes) = ([1, 0, -1, 0, 0, 1, -1, 1], [0, 1, 0, -1, 0, 1, 1, -1])
    let axes = ComplexLanes(x, y).cycles
    let eighths: Phases = [0, 2, 4, 6, 0, 1, 3, 7]
    #expect(axes.phases == eighths &<< 29)
  }

  @Test func phasesBecomeSineAndCosine() {
    var generator = SplitMix(seed: 23)
    for _ in 0..<500 {
      let phases = Phases.random(in: .min ... .max, using: &generator)
      let unit = ComplexLanes(unit: phases)
      for lane in 0..<8 {
        let angle = Double(phases[lane]) * 0x1p-32 * 2 * .pi
        #expect(abs(Double(unit.re[lane]) - cos(angle)) < 1.2e-6)
        #expect(abs(Double(unit.im[lane]) - sin(angle)) < 1.2e-6)
      }
    }
  }

  /// A phase is a fraction of a cycle: whole cycles are dropped.
  @Test func phasesWrap() {
    for cycles in [0, 0.25, -0.25, 0.5, 3.125, -7.75, 1000.375, -0.125] as [Float] {
      let angle = Lanes(repeating: cycles).phases[0]
      let way = Double(cycles) - Double(angle) * 0x1p-32
      #expect(way == way.rounded())
    }
  }

  /// Numbers whose square would be subnormal are replaced with 0; all other numbers are not
  /// changed.
  @Test func squarableNumbersHaveNormalSquares() {
    let least = Float.leastNormalMagnitude.squareRoot()
    let numbers = Lanes(0, least, -least, least.nextDown, -least.nextDown, 1e-40, -1, 1e10)
    let expected = Lanes(0, least, -least, 0, 0, 0, -1, 1e10)
    #expect(numbers.squarable == expected)
    #expect((0..<8).allSatisfy { !(expected[$0] * expected[$0]).isSubnormal })
    #expect((least.nextDown * least.nextDown).isSubnormal)
  }

  /// The results are compared with those of libm.
  @Test func logarithmsAndPowersAreRight() {
    for exponent in stride(from: -90.0, to: 90, by: 0.37) {
      let x = Lanes(repeating: Float(exponent))
      #expect(abs(Double(x.binaryPowers[3]) / pow(2, Double(x[3])) - 1) < 1e-6)
      let y = Lanes(repeating: Float(pow(2, exponent)))
      #expect(abs(Double(y.binaryLogarithms[5]) - log2(Double(y[5]))) < 1e-5)
    }
  }

  @Test func logarithmsAreNear() {
    var generator = SplitMix(seed: 24)
    for _ in 0..<500 {
      let value = Float(pow(10, Double.random(in: -12...12, using: &generator)))
      #expect(abs(Double(Lanes(repeating: value).logarithms[0]) - log2(Double(value))) < 3e-5)
    }
  }
}
