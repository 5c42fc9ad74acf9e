// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

@Suite struct SampleLinesTests {
  private static let count = 100

  /// Tests every sample at which a kernel may begin, and every block of samples after the beginning
  /// of the kernel.
  @Test func blocksHaveTheSamplesThatFollow() throws {
    let memory = try Storage(bytes: SampleLines<Float>.bytes(channels: 2, Self.count))
    let base = (memory.base + SincPlan.lineBytes).assumingMemoryBound(to: Float.self)
    let source = (0..<2 * Self.count).map(Float.init)
    let lines = SampleLines(memory: base)
    for channel in 0..<2 {
      source.withUnsafeBufferPointer { source in
        lines.moved(lines: channel * SampleLines<Float>.lines(Self.count))
          .fill(source.baseAddress! + channel, 2, Self.count)
      }
    }
    for channel in 0..<2 {
      let samples = lines.moved(lines: channel * SampleLines<Float>.lines(Self.count))
      for first in 0..<Self.count {
        for index in stride(from: 0, through: Self.count - first - 8, by: 8) {
          let wanted = (0..<8).map { Float(2 * (first + index + $0) + channel) }
          let block = samples.from(first).block(index)
          let wide = samples.from(first).four(index + 4)
          for lane in 0..<8 { #expect(block[lane] == wanted[lane]) }
          for lane in 0..<4 { #expect(wide[lane] == Double(wanted[lane + 4])) }
        }
      }
    }
  }

  @Test func noBlockCrossesACacheLine() throws {
    for first in 0..<Self.count {
      #expect(SampleLines<Float>.offset(of: first) * 4 % 64 + 32 <= 64)
      #expect(SampleLines<Double>.offset(of: first) * 8 % 64 + 32 <= 64)
    }
  }
}
