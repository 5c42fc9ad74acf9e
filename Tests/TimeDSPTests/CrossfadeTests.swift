// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation
import Testing

@testable import TimeDSPCore

@Suite struct CrossfadeTests {
  private func faded(_ from: [Double], _ to: [Double], channels: Int) -> [Double] {
    var output = [Double](repeating: .nan, count: from.count)
    crossfade(
      from: from, to: to, output: &output, frames: from.count / channels, channels: channels)
    return output
  }

  @Test(arguments: [1, 2, 6], [1, 2, 3, 10, 1_000])
  func itIsARaisedCosine(channels: Int, frames: Int) {
    var generator = SplitMix(seed: 15)
    let from = noise(Double.self, frames: frames, channels: channels, using: &generator)
    let to = noise(Double.self, frames: frames, channels: channels, using: &generator)
    let output = faded(from, to, channels: channels)
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
    #expect(faded(sound, sound, channels: 2) == sound)
  }

  @Test func nothingIsWrittenBeyondTheOutput() {
    var memory = [Double](repeating: 7, count: 20)
    let zeros = [Double](repeating: 0, count: 10)
    memory.withUnsafeMutableBufferPointer { memory in
      crossfade(
        from: zeros, to: zeros, output: memory.baseAddress! + 5, frames: 5, channels: 2)
    }
    #expect(memory[..<5].allSatisfy { $0 == 7 } && memory[15...].allSatisfy { $0 == 7 })
    #expect(memory[5..<15].allSatisfy { $0 == 0 })
  }
}
