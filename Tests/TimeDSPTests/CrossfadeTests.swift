// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

@Suite struct CrossfadeTests {
  private func crossfade(_ from: [Double], _ to: [Double], channels: Int) -> [Double] {
    var output = [Double](repeating: .nan, count: from.count)
    fade(from, to, &output, from.count / channels, channels)
    return output
  }

  private func fade(
    _ from: UnsafePointer<Double>, _ to: UnsafePointer<Double>,
    _ output: UnsafeMutablePointer<Double>, _ frames: Int, _ channels: Int
  ) {
    Crossfade(from: from, to: to, output: output, frames: frames, channels: channels).run()
  }

  @Test(arguments: [1, 2, 6], [1, 2, 3, 10, 1_000])
  func itIsARaisedCosine(channels: Int, frames: Int) {
    var generator = SplitMix(seed: 15)
    let from = noise(Double.self, frames: frames, channels: channels, using: &generator)
    let to = noise(Double.self, frames: frames, channels: channels, using: &generator)
    let output = crossfade(from, to, channels: channels)
    for index in output.indices {
      // the square of a sine is the same weight, calculated by a different formula
      let angle = Double.pi * (Double(index / channels) + 0.5) / Double(frames) / 2
      let weight = sin(angle) * sin(angle)
      #expect(abs(output[index] - (from[index] * (1 - weight) + to[index] * weight)) < 1e-14)
    }
  }

  @Test func commonElementsStayUnchanged() {
    var generator = SplitMix(seed: 16)
    let sound = noise(Double.self, frames: 500, channels: 2, using: &generator)
    #expect(crossfade(sound, sound, channels: 2) == sound)
  }

  @Test func nothingIsWrittenBeyondTheOutput() {
    var memory = [Double](repeating: 7, count: 20)
    let zeros = [Double](repeating: 0, count: 10)
    memory.withUnsafeMutableBufferPointer { memory in
      fade(zeros, zeros, memory.baseAddress! + 5, 5, 2)
    }
    #expect(memory[..<5].allSatisfy { $0 == 7 } && memory[15...].allSatisfy { $0 == 7 })
    #expect(memory[5..<15].allSatisfy { $0 == 0 })
  }
}
