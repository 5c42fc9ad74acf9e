// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import TimeDSPCore

/// The rotations of a frame, compared with those of the paper's algorithm, which uses a priority
/// queue (Průša and Holighaus, "Phase Vocoder Done Right", 2017, algorithm 1).
@Suite struct PhaseIntegrationTests {
  /// Which bins have a rotation before the integration starts, and which were silent.
  enum Frame: CaseIterable {
    case sustained, beginning, transient, constant, quiet, mixed
  }

  @Test(arguments: Frame.allCases, [Float(0), 1])
  func rotationsAreThoseOfAPriorityQueue(frame: Frame, transience: Float) {
    var generator = SplitMix(seed: 11)
    for run in 0..<100 {
      let bins = [5, 33, 97][run % 3]
      let test = TestPhases(bins, frame, transience: transience, using: &generator)
      let model = QueueModel(test.integration)
      let expected = model.rotations()
      test.integration.run()
      for bin in 0..<bins {
        let difference = Int32(bitPattern: test.integration.rotations[bin] &- expected[bin])
        // 2^-16 cycles; without means, rotations are sums of integers
        #expect(difference.magnitude <= (transience == 0 ? 0 : 1 << 16))
      }
    }
  }
}

/// An integration of random phases and powers, in the memory of an integration of more bins.
private final class TestPhases {
  let integration: PhaseIntegration
  private let memory: UnsafeMutableRawPointer

  init(
    _ bins: Int, _ frame: PhaseIntegrationTests.Frame, transience: Float,
    using generator: inout SplitMix
  ) {
    var counting = ScratchMemory(nil)
    _ = PhaseIntegration(4 * bins, &counting)
    memory = .allocate(byteCount: counting.bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0xff, count: counting.bytes)
    var scratch = ScratchMemory(memory)
    let long = PhaseIntegration(4 * bins, &scratch)
    long.start()
    integration = PhaseIntegration(bins, sharing: long)
    let isMixed = frame == .mixed
    for bin in 0..<bins {
      integration.inTime[bin] = .random(in: 0 ... .max, using: &generator)
      integration.inFrequency[bin] = .random(in: 0 ... .max, using: &generator)
      integration.transience[bin] = transience * .random(in: 0...1, using: &generator)
      integration.power[bin] = power(using: &generator)
      integration.lastPower[bin] = power(using: &generator)
      if frame == .beginning || isMixed && bin % 31 < 7 { integration.lastPower[bin] = 0 }
      if frame == .quiet && bin % 5 == 0 || isMixed && bin % 23 == 9 { integration.power[bin] = 0 }
      if frame == .transient && bin % 11 < 3 || isMixed && bin % 29 == 20 {
        integration.isFixed[bin] = 1
        integration.rotations[bin] = .random(in: 0 ... .max, using: &generator)
      }
    }
    integration.power[0] = frame == .constant ? 2 : 0.001
    if frame == .constant, Bool.random(using: &generator) { integration.isFixed[0] = 1 }
    // the elements after the last bin, which are processed with it
    for bin in bins..<bins + 8 {
      (integration.power[bin], integration.lastPower[bin]) = (0, 0)
    }
  }

  deinit { memory.deallocate() }

  /// A random power, from -60 dB to 0 dB.
  private func power(using generator: inout SplitMix) -> Float {
    pow(10, Float.random(in: -6...0, using: &generator))
  }
}

/// The algorithm of the paper, with these additions: bins of silence and fixed bins are known from
/// the start, bins that nothing leads to are settled from the lowest on, and transient bins get a
/// mean of the rotations that are known.
private struct QueueModel {
  private let input: PhaseIntegration
  private let bins: Int
  private var result: [UInt32]
  private var isKnown: [Bool]
  /// The bins to continue from: of the last frame (`isLast`), or of this frame.
  private var queue: [(power: Float, bin: Int, isLast: Bool)] = []

  init(_ input: PhaseIntegration) {
    self.input = input
    bins = input.bins
    result = (0..<input.bins).map { input.rotations[$0] }
    isKnown = Array(repeating: false, count: input.bins)
  }

  func rotations() -> [UInt32] {
    var model = self
    model.begin()
    model.drain()
    for bin in 0..<bins where !model.isKnown[bin] {
      model.settle(bin, input.inTime[bin])
      model.drain()
    }
    return model.result
  }

  private mutating func begin() {
    let powers = (0..<bins).map { input.power[$0] }
    let isConstant = powers[0] > powers[1...3].max() ?? 0
    if isConstant { result[0] = 0 }
    for bin in 0..<bins {
      let isFixed = input.isFixed[bin] != 0 || bin == 0 && isConstant
      if powers[bin] == 0 {
        if !isFixed { result[bin] = input.inTime[bin] }
        isKnown[bin] = true
      } else if isFixed {
        isKnown[bin] = true
        queue.append((powers[bin], bin, false))
      } else if input.lastPower[bin] > 0 {
        queue.append((input.lastPower[bin], bin, true))
      }
    }
  }

  private mutating func drain() {
    while let index = queue.indices.max(by: { queue[$0].power < queue[$1].power }) {
      let (_, bin, isLast) = queue.remove(at: index)
      if isLast {
        if !isKnown[bin] { settle(bin, input.inTime[bin]) }
        continue
      }
      if bin + 1 < bins, !isKnown[bin + 1] {
        settle(bin + 1, result[bin] &+ input.inFrequency[bin + 1])
      }
      if bin > 0, !isKnown[bin - 1] { settle(bin - 1, result[bin] &- input.inFrequency[bin]) }
    }
  }

  private mutating func settle(_ bin: Int, _ phase: UInt32) {
    result[bin] = input.transience[bin] > 0.3 ? mean(bin, phase) : phase
    isKnown[bin] = true
    queue.append((input.power[bin], bin, false))
  }

  private func mean(_ bin: Int, _ phase: UInt32) -> UInt32 {
    var offers = [(input.inTime[bin], input.lastPower[bin])]
    if bin > 0, isKnown[bin - 1] {
      offers.append((result[bin - 1] &+ input.inFrequency[bin], input.power[bin - 1]))
    }
    if bin + 1 < bins, isKnown[bin + 1] {
      offers.append((result[bin + 1] &- input.inFrequency[bin + 1], input.power[bin + 1]))
    }
    let ways = offers.map { Double(Int32(bitPattern: $0.0 &- phase)) * Double($0.1 + 1e-18) }
    let mean = ways.reduce(0, +) / offers.reduce(0) { $0 + Double($1.1 + 1e-18) }
    let share = Double(input.transience[bin])
    return phase &+ UInt32(truncatingIfNeeded: Int64(mean * share * share))
  }
}
