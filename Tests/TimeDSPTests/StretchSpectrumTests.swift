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
    private let memory: Arena

    init(_ count: Int) throws {
      var memory = Arena()
      fft = try RealFFT(count, &memory)
      result = try Spectrum(fft.room, &memory)
      self.memory = memory
    }

    func load(_ input: [Float]) {
      for (index, value) in input.enumerated() {
        let half = index % 2 == 0 ? fft.packed.re : fft.packed.im
        half[index / 2] = value
      }
    }

    var output: [Float] { (0..<fft.count).map { fft.number($0) } }
  }

  static let sizes = [64, 128, 256, 512, 2048] + (isLong ? [4096, 32768] : [])

  /// The error of an FFT is about 0.6 √log2 (count) units in the last place (Schatzman, "Accuracy
  /// of the discrete Fourier transform and the fast Fourier transform", 1996); a wrong sign or
  /// twiddle factor would cause an error of 10^6 units.
  @Test(arguments: sizes)
  func transformIsTheSumOfTheDefinition(count: Int) throws {
    var generator = SplitMix(seed: 20)
    let input = noise(Float.self, frames: count, using: &generator)
    let transform = try Transform(count)
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
  func inverseBringsTheInputBack(count: Int) throws {
    var generator = SplitMix(seed: 21)
    let input = noise(Float.self, frames: count, using: &generator)
    let transform = try Transform(count)
    transform.load(input)
    transform.fft.forward(transform.result)
    transform.fft.inverse(transform.result)
    let error = zip(input, transform.output).map { abs($0 - $1) }.max() ?? 1
    #expect(error < 0x1p-24 * 2 * Float(log2(Double(count))))
  }

  /// Compares the results with libm.
  @Test func logarithmsAndPowersAreRight() {
    for exponent in stride(from: -90.0, to: 90, by: 0.37) {
      let x = Lanes(repeating: Float(exponent))
      #expect(abs(Double(x.binaryPowers[3]) / pow(2, Double(x[3])) - 1) < 1e-6)
      let y = Lanes(repeating: Float(pow(2, exponent)))
      #expect(abs(Double(y.binaryLogarithms[5]) - log2(Double(y[5]))) < 1e-5)
    }
  }
}
