// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// A stretcher in a memory block of exactly the size that it needs. It is used like `TestScaler`.
/// The sample rate is 8 kHz, so that windows have few frames: 512 for music.
final class TestStretcher<S: TestSample> {
  let core: UnsafeMutablePointer<Stretcher>
  let channels: Int
  private let planes: Int
  private let memory: Arena
  /// Length of the output. `nil` until the input ends.
  private var length: Int64?

  init(
    _: S.Type = S.self, channels: Int = 1, layout: TimeDSPLayout = TIMEDSP_INTERLEAVED,
    rate: Int = 8000, window: TimeStretchWindow = TIMESTRETCH_MUSIC, factor: Double
  ) throws {
    let shape = try AudioShape(
      TimeDSPConfig(
        format: S.format, layout: layout, interpolation: TIMEDSP_LINEAR,
        channels: UInt32(channels), quality: 0))
    var memory = Arena()
    core = .allocate(capacity: 1)
    core.initialize(
      to: try Stretcher(
        shape, window, rate: UInt32(rate), Fraction(checked: factor), &memory))
    self.memory = memory
    self.channels = channels
    planes = shape.planes
  }

  deinit { core.deallocate() }

  /// Passes interleaved frames to the stretcher. Returns the number of frames that the stretcher
  /// consumed, and its output.
  func process(_ input: ArraySlice<S>, capacity: Int) -> (used: Int, made: [S]) {
    let source = Planes(interleaved: Array(input), planes: planes)
    let target = Planes<S>(samples: capacity * channels / planes, planes: planes)
    var cursor = FrameCursor(source.readable, input.count / channels)
    var sink = FrameSink(planes: target.writable, capacity: capacity)
    core.pointee.process(&cursor, into: &sink)
    return (cursor.first, target.interleaved(samples: sink.made * channels / planes))
  }

  /// Ends the input. Returns at most `capacity` frames of the remaining output.
  func finish(capacity: Int) -> [S] {
    let target = Planes<S>(samples: capacity * channels / planes, planes: planes)
    if length == nil {
      length = core.pointee.map.output(at: core.pointee.received).whole
      core.pointee.endSound(after: 0)
    }
    let left = Int((length ?? 0) - core.pointee.made)
    var sink = FrameSink(planes: target.writable, capacity: min(capacity, left))
    while sink.room > 0 {
      var silence = FrameCursor(target.readable, core.pointee.sizes.longest)
      core.pointee.process(&silence, into: &sink)
    }
    return target.interleaved(samples: sink.made * channels / planes)
  }

  /// Changes the factor gradually within `frames` frames of input.
  func ramp(to factor: Double, within frames: Int) throws {
    let target = try Fraction(checked: factor)
    core.pointee.map.bend(at: core.pointee.received, to: target, within: Int64(frames))
  }

  /// Processes a stream in blocks of `frames` frames, with room for `capacity` frames of output,
  /// and changes the factor at the input frames in `changes`.
  func run(
    _ input: [S], frames: Int = 1000, capacity: Int = 4000, changes: [Change] = []
  ) throws -> [S] {
    var output: [S] = []
    var (given, changes) = (0, changes[...])
    while given < input.count / channels {
      while let change = changes.first, change.frame <= given {
        try ramp(to: change.factor, within: change.within)
        changes.removeFirst()
      }
      let end = min(given + frames, changes.first?.frame ?? .max, input.count / channels)
      let (used, made) = process(
        input[given * channels..<end * channels], capacity: capacity)
      given += used
      output += made
    }
    while true {
      let made = finish(capacity: capacity)
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
