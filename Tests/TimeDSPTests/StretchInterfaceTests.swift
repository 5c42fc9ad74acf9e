// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

/// Whatever C may pass to the stretcher: each call answers with the status that
/// `timestretch.h` names, writes nothing and does not crash.
@Suite struct StretchInterfaceTests {
  static let good = TimeStretchConfig(
    format: TIMEDSP_F32, layout: TIMEDSP_INTERLEAVED, channels: 2, rate: 48000,
    window: TIMESTRETCH_AUTO)

  private func status(_ change: (inout TimeStretchConfig) -> Void) -> TimeDSPStatus {
    var config = Self.good
    change(&config)
    var bytes = 42
    let status = timestretch_memory_bytes(&config, &bytes)
    #expect((bytes == 42) == (status != TIMEDSP_OK))
    return status
  }

  @Test func configurationsAreChecked() {
    #expect(status { _ in } == TIMEDSP_OK)
    #expect(status { $0.format = TimeDSPFormat(4) } == TIMEDSP_BAD_FORMAT)
    #expect(status { $0.layout = TimeDSPLayout(2) } == TIMEDSP_BAD_FORMAT)
    for channels in [0, 1025, UInt32.max] {
      #expect(status { $0.channels = channels } == TIMEDSP_BAD_CHANNELS)
    }
    for rate in [0, 7999, 192_001, UInt32.max] {
      #expect(status { $0.rate = rate } == TIMEDSP_BAD_RATE)
    }
    #expect(status { $0.window = TimeStretchWindow(4) } == TIMEDSP_BAD_WINDOW)
    #expect(status { $0.window = TimeStretchWindow(.max) } == TIMEDSP_BAD_WINDOW)
    for rate in [8000, 11_025, 22_050, 44_100, 96_000, 192_000] as [UInt32] {
      #expect(status { $0.rate = rate } == TIMEDSP_OK)
    }
  }

  @Test func memoryMustBeEnoughAndAligned() throws {
    var config = Self.good
    config.rate = 8000
    var bytes = 0
    try check(timestretch_memory_bytes(&config, &bytes))
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes + 64, alignment: 64)
    defer { memory.deallocate() }
    var made: OpaquePointer? = OpaquePointer(bitPattern: 1)
    #expect(timestretch_init(&config, 1, memory, bytes - 1, &made) == TIMEDSP_NO_MEMORY)
    #expect(made == nil)
    #expect(timestretch_init(&config, 1, memory + 8, bytes, &made) == TIMEDSP_NO_MEMORY)
    #expect(timestretch_init(&config, .nan, memory, bytes, &made) == TIMEDSP_BAD_FACTOR)
    #expect(timestretch_init(nil, 1, memory, bytes, &made) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_init(&config, 1, nil, bytes, &made) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_init(&config, 1, memory, bytes, nil) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_init(&config, 1, memory, bytes, &made) == TIMEDSP_OK)
    #expect(made != nil)
  }

  @Test func pointersFactorsAndLengthsAreChecked() throws {
    let stretcher = try TestStretcher<Float>(factor: 1)
    let handle = stretcher.handle
    var (number, fraction, latency) = (UInt64(42), 0.0, UInt64(42))
    #expect(timestretch_reset(nil) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_set_factor(nil, 1) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_position(handle, nil, &number, &fraction) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_max_output(handle, 1, nil) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_max_output(handle, 1 << 53 + 1, &latency) == TIMEDSP_BAD_LENGTH)
    #expect(timestretch_latency(nil) == 0)
    for factor in [0, 0.009, 101, -1, .nan, .infinity] {
      #expect(timestretch_set_factor(handle, factor) == TIMEDSP_BAD_FACTOR)
    }
    #expect(timestretch_ramp_factor(handle, 2, 1 << 53 + 1) == TIMEDSP_BAD_LENGTH)
    var progress = TimeStretchProgress(frames_used: 9, frames_made: 9)
    #expect(timestretch_process(handle, nil, 1, nil, 0, &progress) == TIMEDSP_NULL_POINTER)
    #expect(progress.frames_used == 0 && progress.frames_made == 0)
    #expect(timestretch_process(handle, nil, 0, nil, 0, nil) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_process(nil, nil, 0, nil, 0, &progress) == TIMEDSP_NULL_POINTER)
    #expect(timestretch_process(handle, nil, 0, nil, 0, &progress) == TIMEDSP_OK)
    #expect(number == 42 && latency == 42)
  }

  @Test func nothingComesAfterTheEnd() throws {
    let stretcher = try TestStretcher<Float>(factor: 2)
    _ = try stretcher.run([0.5, 0.25])
    #expect(timestretch_set_factor(stretcher.handle, 1) == TIMEDSP_FINISHED)
    var progress = TimeStretchProgress()
    #expect(
      timestretch_process(stretcher.handle, nil, 0, nil, 0, &progress) == TIMEDSP_FINISHED)
    try check(timestretch_reset(stretcher.handle))
    #expect(try stretcher.run([0.5, 0.25]).count == 4)
  }
}
