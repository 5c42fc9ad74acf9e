// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// Calls functions with any arguments that are possible in C. Each call returns the status that
/// `timedsp.h` documents, writes nothing and does not crash.
@Suite struct InterfaceTests {
  /// The value that Swift receives for a `size_t` of `SIZE_MAX`.
  static let sizeMax = -1
  static let badFactors = [
    0.0, -0.0, -1, 0.01.nextDown, 100.0.nextUp, 1e300, 5e-300, .nan, .signalingNaN, .infinity,
    -.infinity,
  ]

  @Test func everyStatusHasAText() {
    let texts = (0...16).map { String(cString: timedsp_status_text(TimeDSPStatus($0))) }
    // there are thirteen statuses; all other values have the same text
    #expect(Set(texts).count == 14)
    #expect(texts[13] == texts[14])
    #expect(texts.allSatisfy { $0.hasSuffix(".") })
    #expect(String(cString: timedsp_status_text(TimeDSPStatus(.max))) == texts[13])
  }

  @Test func reverseRefusesWrongArguments() {
    var memory = [UInt8](repeating: 1, count: 64)
    memory.withUnsafeMutableBytes { memory in
      let base = memory.baseAddress!
      for bytes in [0, 8193, Int.max, Int.min, Self.sizeMax] {
        #expect(timedsp_reverse(base, base, 1, bytes) == TIMEDSP_BAD_FRAME_SIZE)
        #expect(timedsp_reverse(nil, nil, 0, bytes) == TIMEDSP_BAD_FRAME_SIZE)
      }
      #expect(timedsp_reverse(nil, base, 1, 4) == TIMEDSP_NULL_POINTER)
      #expect(timedsp_reverse(base, nil, 1, 4) == TIMEDSP_NULL_POINTER)
      #expect(timedsp_reverse(nil, nil, 0, 4) == TIMEDSP_OK)
      for frames in [Self.sizeMax, Int.max, Int.min, Int.max / 4, 1 << 53 + 1, 1 << 61 + 1] {
        #expect(timedsp_reverse(base, base, frames, 4) == TIMEDSP_BAD_LENGTH)
        #expect(timedsp_reverse(base, base, frames, 8192) == TIMEDSP_BAD_LENGTH)
      }
      let top = UnsafeMutableRawPointer(bitPattern: UInt.max - 7)
      #expect(timedsp_reverse(top, base, 3, 4) == TIMEDSP_BAD_LENGTH)
      #expect(timedsp_reverse(base, top, 3, 4) == TIMEDSP_BAD_LENGTH)
    }
    #expect(memory == [UInt8](repeating: 1, count: 64))
  }

  @Test func lengthsRefuseWrongArguments() throws {
    for factor in Self.badFactors {
      #expect(throws: TIMEDSP_BAD_FACTOR) { try Scaler.length(of: 1, scaledBy: factor) }
    }
    for (frames, factor) in [
      (1 << 53 + 1, 1.0), (.max, 0.01), (1 << 53, 1.0.nextUp), (1 << 53, 100), (1 << 47, 100),
    ] as [(UInt64, Double)] {
      #expect(throws: TIMEDSP_BAD_LENGTH) { try Scaler.length(of: frames, scaledBy: factor) }
    }
    #expect(try Scaler.length(of: 1 << 53, scaledBy: 1) == 1 << 53)
  }

  @Test func configsAreChecked() {
    let good = TimeDSPConfig(
      format: TIMEDSP_S16, layout: TIMEDSP_PLANAR, interpolation: TIMEDSP_CUBIC, channels: 2,
      quality: 0)
    for bogus: UInt32 in [4, 5, 255, 0x8000_0000, .max] {
      var config = good
      config.format = TimeDSPFormat(bogus)
      expectRefusal(config, TIMEDSP_BAD_FORMAT)
      config = good
      config.layout = TimeDSPLayout(bogus)
      expectRefusal(config, TIMEDSP_BAD_FORMAT)
      config = good
      config.interpolation = TimeDSPInterpolation(bogus | 8)
      expectRefusal(config, TIMEDSP_BAD_INTERPOLATION)
    }
    for channels: UInt32 in [0, 1025, 0x8000_0000, .max] {
      var config = good
      config.channels = channels
      expectRefusal(config, TIMEDSP_BAD_CHANNELS)
    }
  }

  private func expectRefusal(_ config: TimeDSPConfig, _ status: TimeDSPStatus) {
    #expect(throws: status) { _ = try Scaler(config, factor: 1) }
    #expect(throws: status) { try fit(config, count: 3, length: 4) }
  }

  /// Tries to scale 4 frames of Int16, and expects that nothing is written to the output.
  private func fit(
    _ config: TimeDSPConfig, count: Int, capacity: Int = 4, length: Int
  ) throws(TimeDSPStatus) {
    let input = Planes<Int16>(interleaved: [1, 2, 3, 4], planes: 1)
    let output = Planes<Int16>(samples: 4, planes: 1)
    defer { #expect(output.interleaved(samples: 4) == [0, 0, 0, 0]) }
    try Scaler.fit(
      config, input.readable, count: count, into: output.writable, capacity: capacity,
      length: length)
  }

  @Test func boundsRefuseWrongArguments() throws {
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: 1)
    for more: UInt64 in [1 << 53 + 1, .max] {
      #expect(throws: TIMEDSP_BAD_LENGTH) { try scaler.core.framesDue(after: more) }
    }
    #expect(try scaler.core.framesDue(after: 1 << 53) == 1 << 53)
    _ = try scaler.process([1], capacity: 1)
    #expect(throws: TIMEDSP_BAD_LENGTH) { try scaler.core.framesDue(after: 1 << 53) }
  }

  @Test(arguments: [TIMEDSP_INTERLEAVED, TIMEDSP_PLANAR])
  func processRefusesWrongArguments(layout: TimeDSPLayout) throws {
    let scaler = try TestScaler<Int16>(
      channels: 2, layout: layout, interpolation: TIMEDSP_LINEAR, factor: 1)
    let planes = layout == TIMEDSP_PLANAR ? 2 : 1
    let input = Planes<Int16>(interleaved: Array(1...8), planes: planes)
    let output = Planes<Int16>(samples: 8 / planes, planes: planes)
    let (source, target) = (input.readable, output.writable)
    let none = [UnsafeMutableRawPointer?](repeating: nil, count: planes)
    let noSource = none.map { UnsafeRawPointer($0) }
    func process(
      _ source: UnsafePointer<UnsafeRawPointer?>?, _ frames: Int,
      _ target: UnsafePointer<UnsafeMutableRawPointer?>?, _ capacity: Int
    ) -> TimeDSPStatus {
      status { () throws(TimeDSPStatus) in
        let done = try scaler.core.process(source, frames: frames, into: target, capacity: capacity)
        #expect(done == (0, 0))
      }
    }
    #expect(process(nil, 4, target, 4) == TIMEDSP_NULL_POINTER)
    #expect(process(source, 4, nil, 4) == TIMEDSP_NULL_POINTER)
    #expect(process(noSource, 4, target, 4) == TIMEDSP_NULL_POINTER)
    #expect(process(source, 4, none, 4) == TIMEDSP_NULL_POINTER)
    for size in [Self.sizeMax, Int.min, Int.max, Int.max / 2, 1 << 53 + 1] {
      #expect(process(source, size, target, 4) == TIMEDSP_BAD_LENGTH)
      #expect(process(source, 4, target, size) == TIMEDSP_BAD_LENGTH)
    }
    #expect(process(output.readable, 4, target, 4) == TIMEDSP_OVERLAP)
    #expect(process(nil, 0, nil, 0) == TIMEDSP_OK)
    #expect(process(noSource, 0, none, 0) == TIMEDSP_OK)
    #expect(output.interleaved(samples: 8 / planes) == [Int16](repeating: 0, count: 8))
    // none of the rejected calls has changed the scaler
    #expect(try scaler.run(Array(1...8)) == Array(1...8))
  }

  @Test func planesMayLieBetweenEachOtherButNotOverlap() throws {
    let scaler = try TestScaler<Int16>(
      channels: 2, layout: TIMEDSP_PLANAR, interpolation: TIMEDSP_LINEAR, factor: 1)
    var memory: [Int16] = [1, 2, 0, 0, 3, 4, 0, 0]
    func process(outputAt first: Int, _ second: Int) -> TimeDSPStatus {
      memory.withUnsafeMutableBytes { memory in
        let base = memory.baseAddress!
        let source = [UnsafeRawPointer(base), UnsafeRawPointer(base + 8)]
        let target = [base + first, base + second]
        return source.map { Optional($0) }.withUnsafeBufferPointer { source in
          target.map { Optional($0) }.withUnsafeBufferPointer { target in
            status { () throws(TimeDSPStatus) in
              _ = try scaler.core.process(
                source.baseAddress, frames: 2, into: target.baseAddress, capacity: 2)
            }
          }
        }
      }
    }
    for (first, second) in [(0, 12), (4, 8), (2, 12), (4, 10), (8, 12), (4, 6)] {
      #expect(process(outputAt: first, second) == TIMEDSP_OVERLAP)
    }
    #expect(memory == [1, 2, 0, 0, 3, 4, 0, 0])
    #expect(process(outputAt: 4, 12) == TIMEDSP_OK)
    #expect(memory == [1, 2, 1, 2, 3, 4, 3, 4])
  }

  @Test func fittingRefusesWrongArguments() throws {
    let config = TimeDSPConfig(
      format: TIMEDSP_S16, layout: TIMEDSP_INTERLEAVED, interpolation: TIMEDSP_LINEAR,
      channels: 1, quality: 0)
    #expect(throws: TIMEDSP_BAD_LENGTH) { try fit(config, count: 0, length: 4) }
    for size in [Self.sizeMax, Int.min, Int.max, 1 << 53 + 1] {
      #expect(throws: TIMEDSP_BAD_LENGTH) { try fit(config, count: size, length: 4) }
      #expect(throws: TIMEDSP_BAD_LENGTH) { try fit(config, count: 4, capacity: size, length: 4) }
      #expect(throws: TIMEDSP_BAD_LENGTH) { try fit(config, count: 4, length: size) }
    }
    let shared = Planes<Int16>(samples: 4, planes: 1)
    #expect(throws: TIMEDSP_OVERLAP) {
      try Scaler.fit(
        config, shared.readable, count: 4, into: shared.writable, capacity: 4, length: 4)
    }
    try Scaler.fit(config, nil, count: 0, into: nil, capacity: 0, length: 0)
  }
}
