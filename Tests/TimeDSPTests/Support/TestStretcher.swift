// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import TimeDSPCore

/// A C stretcher in memory of exactly the size announced, fed and emptied like
/// `TestScaler`. At 8 kHz its windows are short, 512 frames for music.
final class TestStretcher<S: TestSample> {
  let handle: OpaquePointer
  let channels: Int
  private let planes: Int
  private let memory: UnsafeMutableRawPointer

  init(
    _: S.Type = S.self, channels: Int = 1, layout: TimeDSPLayout = TIMEDSP_INTERLEAVED,
    rate: Int = 8000, window: TimeStretchWindow = TIMESTRETCH_MUSIC, factor: Double
  ) throws {
    var config = TimeStretchConfig(
      format: S.format, layout: layout, channels: UInt32(channels), rate: UInt32(rate),
      window: window)
    var bytes = 0
    try check(timestretch_memory_bytes(&config, &bytes))
    memory = .allocate(byteCount: bytes, alignment: 64)
    // Earlier content of the memory must not matter.
    memory.initializeMemory(as: UInt8.self, repeating: 0xff, count: bytes)
    var made: OpaquePointer?
    try check(timestretch_init(&config, factor, memory, bytes, &made))
    guard let made else { throw UnexpectedStatus(status: TIMEDSP_OK) }
    handle = made
    self.channels = channels
    planes = layout == TIMEDSP_PLANAR ? channels : 1
  }

  deinit { memory.deallocate() }

  /// Offers interleaved frames; returns how many were consumed, and their output.
  func process(_ input: ArraySlice<S>, capacity: Int) throws -> (used: Int, made: [S]) {
    let source = Planes(interleaved: Array(input), planes: planes)
    let target = Planes<S>(samples: capacity * channels / planes, planes: planes)
    var progress = TimeStretchProgress()
    try check(
      timestretch_process(
        handle, source.readable, input.count / channels, target.writable, capacity, &progress))
    return (
      progress.frames_used, target.interleaved(samples: progress.frames_made * channels / planes)
    )
  }

  /// Ends the input; returns some of the pending output.
  func finish(capacity: Int) throws -> [S] {
    let target = Planes<S>(samples: capacity * channels / planes, planes: planes)
    var progress = TimeStretchProgress()
    try check(timestretch_finish(handle, target.writable, capacity, &progress))
    return target.interleaved(samples: progress.frames_made * channels / planes)
  }

  /// Puts a stream through, in pieces of `frames` frames and room for `capacity`, and
  /// changes the factor at the frames of input that `changes` say.
  func run(
    _ input: [S], frames: Int = 1000, capacity: Int = 4000, changes: [Change] = []
  ) throws -> [S] {
    var output: [S] = []
    var (given, changes) = (0, changes[...])
    while given < input.count / channels {
      while let change = changes.first, change.frame <= given {
        try check(timestretch_ramp_factor(handle, change.factor, UInt64(change.within)))
        changes.removeFirst()
      }
      let end = min(given + frames, changes.first?.frame ?? .max, input.count / channels)
      let (used, made) = try process(
        input[given * channels..<end * channels], capacity: capacity)
      given += used
      output += made
    }
    while true {
      let made = try finish(capacity: capacity)
      if made.isEmpty { return output }
      output += made
    }
  }

  struct Change {
    var frame: Int
    var factor: Double
    var within = 0
  }
}
