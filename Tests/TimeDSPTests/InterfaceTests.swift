// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

/// Any arguments from C: each call returns the status that `timedsp.h` documents, writes nothing
/// and does not crash.
@Suite struct InterfaceTests {
  /// A `size_t` of `SIZE_MAX`, as it arrives in Swift.
  static let sizeMax = -1
  static let badFactors = [
    0.0, -0.0, -1, 0.01.nextDown, 100.0.nextUp, 1e300, 5e-300, .nan, .signalingNaN, .infinity,
    -.infinity,
  ]

  @Test func everyStatusHasAText() {
    let texts = (0...16).map { String(cString: timedsp_status_text(TimeDSPStatus($0))) }
    // fifteen statuses, and one text for all other values
    #expect(Set(texts).count == 16)
    #expect(texts[15] == texts[16])
    #expect(texts.allSatisfy { $0.hasSuffix(".") })
    #expect(String(cString: timedsp_status_text(TimeDSPStatus(.max))) == texts[15])
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

  @Test func scaledLengthRefusesWrongArguments() {
    var length: UInt64 = 42
    for factor in Self.badFactors {
      #expect(timedsp_scaled_length(1, factor, &length) == TIMEDSP_BAD_FACTOR)
    }
    for (frames, factor) in [
      (1 << 53 + 1, 1.0), (.max, 0.01), (1 << 53, 1.0.nextUp), (1 << 53, 100), (1 << 47, 100),
    ] as [(UInt64, Double)] {
      #expect(timedsp_scaled_length(frames, factor, &length) == TIMEDSP_BAD_LENGTH)
    }
    #expect(timedsp_scaled_length(1, 1, nil) == TIMEDSP_NULL_POINTER)
    #expect(length == 42)
    #expect(timedsp_scaled_length(1 << 53, 1, &length) == TIMEDSP_OK)
    #expect(length == 1 << 53)
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
    var config = config
    var scaler = OpaquePointer(bitPattern: 42)
    #expect(timedsp_scaler_new(&config, 1, &scaler) == status)
    #expect(scaler == nil)
    scaler = OpaquePointer(bitPattern: 42)
    #expect(timedsp_scaler_new_endpoints(&config, 3, 5, &scaler) == status)
    #expect(scaler == nil)
    let planes = Planes<Int16>(samples: 4, planes: 1)
    let outcome = timedsp_scale_to_length(&config, planes.readable, 3, planes.writable, 4, 4)
    #expect(outcome == status)
  }

  @Test func creationRefusesWrongArguments() {
    var config = TimeDSPConfig(
      format: TIMEDSP_F32, layout: TIMEDSP_INTERLEAVED, interpolation: TIMEDSP_LINEAR,
      channels: 1, quality: 0)
    var scaler = OpaquePointer(bitPattern: 42)
    for factor in Self.badFactors {
      #expect(timedsp_scaler_new(&config, factor, &scaler) == TIMEDSP_BAD_FACTOR)
      #expect(scaler == nil)
    }
    let tooLong: [(UInt64, UInt64)] = [
      (0, 1), (1, 1 << 53 + 1), (1 << 53 + 1, 1), (.max, .max), (0, .max),
    ]
    for (count, length) in tooLong {
      scaler = OpaquePointer(bitPattern: 42)
      let status = timedsp_scaler_new_endpoints(&config, count, length, &scaler)
      #expect(status == TIMEDSP_BAD_LENGTH)
      #expect(scaler == nil)
    }
    #expect(timedsp_scaler_new(nil, 1, &scaler) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scaler_new(&config, 1, nil) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scaler_new_endpoints(nil, 1, 1, &scaler) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scaler_new_endpoints(&config, 1, 1, nil) == TIMEDSP_NULL_POINTER)
  }

  @Test func nullScalersAreRefused() {
    var frames: UInt64 = 42
    var (used, made) = (42, 42)
    timedsp_scaler_free(nil)
    #expect(timedsp_scaler_reset(nil) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scaler_set_factor(nil, 1) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scaler_max_output(nil, 1, &frames) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scaler_lookahead(nil) == 0)
    #expect(timedsp_scaler_process(nil, nil, 0, nil, 0, &used, &made) == TIMEDSP_NULL_POINTER)
    #expect(used == 0 && made == 0)
    made = 42
    #expect(timedsp_scaler_finish(nil, nil, 0, &made) == TIMEDSP_NULL_POINTER)
    #expect(made == 0)
    #expect(timedsp_scale_to_length(nil, nil, 0, nil, 0, 0) == TIMEDSP_NULL_POINTER)
  }

  @Test(arguments: badFactors)
  func badFactorsLeaveTheScalerAlone(factor: Double) throws {
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: 2)
    #expect(timedsp_scaler_set_factor(scaler.handle, factor) == TIMEDSP_BAD_FACTOR)
    #expect(try scaler.run([0, 10]) == [0, 5, 10, 10])
  }

  @Test func maxOutputRefusesWrongArguments() throws {
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: 1)
    var frames: UInt64 = 42
    #expect(timedsp_scaler_max_output(scaler.handle, 1, nil) == TIMEDSP_NULL_POINTER)
    for more: UInt64 in [1 << 53 + 1, .max] {
      #expect(timedsp_scaler_max_output(scaler.handle, more, &frames) == TIMEDSP_BAD_LENGTH)
    }
    #expect(timedsp_scaler_max_output(scaler.handle, 1 << 53, &frames) == TIMEDSP_OK)
    #expect(frames == 1 << 53)
    _ = try scaler.process([1], capacity: 1)
    #expect(timedsp_scaler_max_output(scaler.handle, 1 << 53, &frames) == TIMEDSP_BAD_LENGTH)
    #expect(frames == 1 << 53)
  }

  @Test(arguments: [TIMEDSP_INTERLEAVED, TIMEDSP_PLANAR])
  func processRefusesWrongArguments(layout: TimeDSPLayout) throws {
    let scaler = try TestScaler<Int16>(
      channels: 2, layout: layout, interpolation: TIMEDSP_LINEAR, factor: 1)
    let handle = scaler.handle
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
      var (used, made) = (42, 42)
      let status = timedsp_scaler_process(
        handle, source, frames, target, capacity, &used, &made)
      #expect(used == 0 && made == 0)
      return status
    }
    var count = 42
    #expect(
      timedsp_scaler_process(handle, source, 4, target, 4, nil, &count) == TIMEDSP_NULL_POINTER)
    #expect(
      timedsp_scaler_process(handle, source, 4, target, 4, &count, nil) == TIMEDSP_NULL_POINTER)
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
    // none of these calls has changed anything
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
        var (used, made) = (0, 0)
        return source.map { Optional($0) }.withUnsafeBufferPointer { source in
          target.map { Optional($0) }.withUnsafeBufferPointer { target in
            timedsp_scaler_process(
              scaler.handle, source.baseAddress, 2, target.baseAddress, 2, &used, &made)
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

  @Test func finishRefusesWrongArguments() throws {
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: 2)
    _ = try scaler.process([4, 6], capacity: 1)
    let output = Planes<Int16>(samples: 4, planes: 1)
    var made = 42
    #expect(
      timedsp_scaler_finish(scaler.handle, output.writable, 4, nil) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scaler_finish(scaler.handle, nil, 4, &made) == TIMEDSP_NULL_POINTER)
    for size in [Self.sizeMax, Int.min, Int.max] {
      let status = timedsp_scaler_finish(scaler.handle, output.writable, size, &made)
      #expect(status == TIMEDSP_BAD_LENGTH)
      #expect(made == 0)
    }
    // this has not ended the input
    #expect(try scaler.run([6, 8]) == [5, 6, 7, 8, 8])
  }

  @Test func scalingToALengthRefusesWrongArguments() {
    var config = TimeDSPConfig(
      format: TIMEDSP_S16, layout: TIMEDSP_INTERLEAVED, interpolation: TIMEDSP_LINEAR,
      channels: 1, quality: 0)
    let input = Planes<Int16>(interleaved: [1, 2, 3, 4], planes: 1)
    let output = Planes<Int16>(samples: 4, planes: 1)
    let (source, target) = (input.readable, output.writable)
    #expect(timedsp_scale_to_length(&config, nil, 4, target, 4, 4) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scale_to_length(&config, source, 4, nil, 4, 4) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_scale_to_length(&config, source, 0, target, 4, 4) == TIMEDSP_BAD_LENGTH)
    for size in [Self.sizeMax, Int.min, Int.max, 1 << 53 + 1] {
      #expect(timedsp_scale_to_length(&config, source, size, target, 4, 4) == TIMEDSP_BAD_LENGTH)
      #expect(timedsp_scale_to_length(&config, source, 4, target, size, 4) == TIMEDSP_BAD_LENGTH)
      #expect(timedsp_scale_to_length(&config, source, 4, target, 4, size) == TIMEDSP_BAD_LENGTH)
    }
    let shared = timedsp_scale_to_length(&config, output.readable, 4, target, 4, 4)
    #expect(shared == TIMEDSP_OVERLAP)
    #expect(timedsp_scale_to_length(&config, nil, 0, nil, 0, 0) == TIMEDSP_OK)
    #expect(output.interleaved(samples: 4) == [0, 0, 0, 0])
  }
}
