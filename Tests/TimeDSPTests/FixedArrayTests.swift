// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import TimeDSPCore

/// Compares a `FixedArray` with an `Array` that receives the same calls.
@Suite struct FixedArrayTests {
  private let capacity = 7

  @Test func everyCallDoesWhatItDoesToAnArray() throws {
    var random = SplitMix(seed: 1)
    var fixed = try FixedArray<Int>(capacity: capacity)
    var model: [Int] = []
    for step in 0..<5000 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        if model.count < capacity { model.append(step) }
        fixed.append(step)
      case 2:
        let index = Int.random(in: 0...model.count, using: &random)
        if model.count < capacity { model.insert(step, at: index) }
        fixed.insert(step, at: index)
      case 3:
        let number = Int.random(in: 0...3, using: &random)
        model.removeFirst(min(number, model.count))
        fixed.removeFirst(number)
      case 4:
        _ = model.popLast()
        fixed.removeLast()
      case 5:
        model.removeAll { $0 % 3 == 0 }
        fixed.keepOnly { $0 % 3 != 0 }
      case 6:
        let length = Int.random(in: 0...capacity, using: &random)
        model = Array(model.prefix(length))
        fixed.truncate(to: length)
      default:
        if !model.isEmpty { model[model.count / 2] = -step }
        fixed[fixed.count / 2] = -step
      }
      #expect((0..<fixed.count).compactMap { fixed[$0] } == model)
      #expect(fixed.first == model.first && fixed.last == model.last)
      #expect(fixed.firstIndex { $0 < 0 } == model.firstIndex { $0 < 0 })
    }
  }

  @Test func anIndexOutsideHasNoElement() throws {
    var fixed = try FixedArray<Int>(capacity: 2)
    fixed.append(1)
    for index in [-1, 1, 2, .min, .max] {
      fixed[index] = 5
      #expect(fixed[index] == nil)
    }
    fixed.insert(5, at: 2)
    fixed.insert(5, at: -1)
    fixed.removeFirst(-1)
    fixed[0] = nil
    #expect(fixed.count == 1 && fixed[0] == 1)
    fixed.removeAll()
    #expect(fixed.isEmpty && fixed.first == nil && fixed.last == nil)
  }

  @Test func aFullArrayTakesNoMore() throws {
    var fixed = try FixedArray<Int>(capacity: 2)
    for value in 0..<4 { fixed.append(value) }
    #expect(fixed.isFull && fixed[0] == 0 && fixed[1] == 1 && fixed[2] == nil)
  }
}
