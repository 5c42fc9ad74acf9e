// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

/// Adds transients to sustained notes. The power of the notes fluctuates, even without transients.
@Suite struct StretchRingingTests {
  private static let rate = 48000
  private static let hertz = [110, 220, 277.18, 606.3, 1189]
  private static let places = [40007, 61234, 83456, 107890]

  /// 3 s of notes with constant pitch and level.
  private func notes() -> [Float] {
    (0..<3 * Self.rate).map { frame in
      var sum = 0.0
      for (number, hz) in Self.hertz.enumerated() {
        let turns = hz * Double(frame) / Double(Self.rate)
        sum += 0.12 * sin(2 * .pi * turns + Double(number))
      }
      return Float(sum)
    }
  }

  /// A transient: 2 ms of decaying noise.
  private func burst() -> [Float] {
    var generator = SplitMix(seed: 70)
    return (0..<96).map { frame in
      0.4 * (1 - Float(frame) / 96) * Float.random(in: -1...1, using: &generator)
    }
  }

  private func strokes() -> [Float] {
    var samples = notes()
    for place in Self.places {
      for (frame, sample) in burst().enumerated() { samples[place + frame] += sample }
    }
    return samples
  }

  private func bend(_ samples: [Float]) -> [Float] {
    (2..<samples.count).map { samples[$0] - 2 * samples[$0 - 1] + samples[$0 - 2] }
  }

  /// The delay of the burst relative to frame `place`, in frames, found by correlation. Delays of
  /// up to 20 ms are searched.
  private func lateness(_ samples: [Float], at place: Int) -> Int {
    let burst = bend(burst())
    let around = bend(Array(samples[place - 960..<place + 1200]))
    var likeness = [Float](repeating: 0, count: 1920)
    for lag in likeness.indices {
      for frame in burst.indices { likeness[lag] += burst[frame] * around[lag + frame] }
    }
    return (likeness.indices.max { likeness[$0] < likeness[$1] } ?? 0) - 960
  }

  /// A transient is output within 0.2 ms of its position, and the notes are output within 1 cent of
  /// their pitch.
  @Test(arguments: [0.5, 0.8, 1.25, 2, 3])
  func transientsOverNotesComeInTime(factor: Double) throws {
    let output = try TestStretcher<Float>(
      rate: Self.rate, window: TIMESTRETCH_AUTO, factor: factor
    ).run(strokes())
    for place in Self.places {
      #expect(abs(lateness(output, at: Int((Double(place) * factor).rounded()))) < 10)
    }
    let start = Int(11000 * factor)
    for hz in Self.hertz {
      let cents = 1200 * log2(frequency(output, near: hz, from: start) / hz)
      #expect(abs(cents) < 1, "\(hz) Hz")
    }
  }

  /// The frequency of the spectral line near `hz`, from its phases in two windows of 0.2 s.
  private func frequency(_ samples: [Float], near hz: Double, from start: Int) -> Double {
    let (count, way) = (9600, 480)
    let turns = [start, start + way].map { first in
      var (re, im) = (0.0, 0.0)
      for frame in 0..<count {
        let weight = 1 - cos(2 * .pi * (Double(frame) + 0.5) / Double(count))
        let angle = 2 * .pi * hz * Double(first + frame) / Double(Self.rate)
        re += weight * Double(samples[first + frame]) * cos(angle)
        im -= weight * Double(samples[first + frame]) * sin(angle)
      }
      return atan2(im, re) / (2 * .pi)
    }
    let moved = turns[1] - turns[0]
    return hz + (moved - moved.rounded()) * Double(Self.rate) / Double(way)
  }

  /// Linear prediction works for sustained notes: for two sines, the residue is less than 1/10,000
  /// of their power. Noise cannot be predicted.
  @Test func ringingIsPredicted() {
    var generator = SplitMix(seed: 71)
    let sines = Array(notes()[0..<1100])
    let noise = (0..<1100).map { _ in Float.random(in: -1...1, using: &generator) }
    #expect(rest(of: sines) < 1e-4)
    #expect(rest(of: noise) > 0.8)
  }

  /// The power of the residue when 76 frames are predicted from the 1024 frames before them,
  /// divided by the power of the 76 frames.
  private func rest(of samples: [Float]) -> Float {
    var counting = ScratchMemory(nil)
    _ = LinearPrediction(1024, &counting)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: counting.bytes, alignment: 64)
    defer { memory.deallocate() }
    var arena = ScratchMemory(memory)
    let prediction = LinearPrediction(1024, &arena)
    var samples = samples
    return samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      let weights = prediction.weights(base)
      var (left, all): (Float, Float) = (0, 0)
      for frame in 1024..<1100 {
        var rest: Float = 0
        for age in 0...LinearPrediction.order { rest += weights[age] * base[frame - age] }
        left += rest * rest
        all += base[frame] * base[frame]
      }
      return left / all
    }
  }
}
