// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// A scaler whose input and output are in memory blocks of exactly the announced sizes, so that a
/// memory checker detects every access outside the blocks.
final class TestScaler<S: TestSample> {
  var core: Scaler
  let channels: Int
  let layout: TimeDSPLayout
  private var planes: Int { layout == TIMEDSP_PLANAR ? channels : 1 }

  init(
    _: S.Type = S.self, channels: Int = 1, layout: TimeDSPLayout = TIMEDSP_INTERLEAVED,
    interpolation: TimeDSPInterpolation, quality: Int = 0, factor: Double
  ) throws {
    let settings = try ScalerSettings(
      TimeDSPConfig(
        format: S.format, layout: layout, interpolation: interpolation,
        channels: UInt32(channels), quality: UInt32(quality)))
    core = try Scaler(settings, ReadCursor(Fraction(checked: factor)))
    self.channels = channels
    self.layout = layout
  }

  /// Creates a scaler that scales `count` frames to `length` frames.
  init(
    _: S.Type = S.self, channels: Int = 1, layout: TimeDSPLayout = TIMEDSP_INTERLEAVED,
    interpolation: TimeDSPInterpolation, quality: Int = 0, count: Int, length: Int
  ) throws {
    let settings = try ScalerSettings(
      TimeDSPConfig(
        format: S.format, layout: layout, interpolation: interpolation,
        channels: UInt32(channels), quality: UInt32(quality)))
    core = try Scaler(
      settings, ReadCursor(count: UInt64(count), length: UInt64(length), settings))
    self.channels = channels
    self.layout = layout
  }

  /// Passes interleaved frames to the scaler. Returns the number of frames that the scaler
  /// consumed, and its interleaved output.
  func process(_ input: ArraySlice<S>, capacity: Int) throws -> (used: Int, made: [S]) {
    let source = Planes(interleaved: Array(input), planes: planes)
    let target = Planes<S>(samples: capacity * channels / planes, planes: planes)
    var cursor = FrameCursor(source.readable, input.count / channels)
    var sink = FrameSink(planes: target.writable, capacity: capacity)
    core.process(&cursor, into: &sink)
    return (cursor.first, target.interleaved(samples: sink.made * channels / planes))
  }

  /// Ends the input. Returns at most `capacity` frames of the remaining output.
  func finish(capacity: Int) throws -> [S] {
    let target = Planes<S>(samples: capacity * channels / planes, planes: planes)
    var sink = FrameSink(planes: target.writable, capacity: capacity)
    core.finish(into: &sink)
    return target.interleaved(samples: sink.made * channels / planes)
  }

  /// Processes a whole stream in blocks. The two closures return the sizes of the input and output
  /// blocks.
  func run(
    _ input: [S], cuttingInput: () -> Int, cuttingOutput: () -> Int
  ) throws -> [S] {
    var rest = input[...]
    var output: [S] = []
    var spins = 0
    while !rest.isEmpty {
      let offered = rest.prefix(cuttingInput() * channels)
      let (used, made) = try process(offered, capacity: cuttingOutput())
      output += made
      rest = rest.dropFirst(used * channels)
      spins = used == 0 && made.isEmpty ? spins + 1 : 0
      if spins > 1000 { throw UnexpectedStatus(status: TIMEDSP_OUTPUT_TOO_SMALL) }
    }
    while true {
      let made = try finish(capacity: max(cuttingOutput(), 1))
      if made.isEmpty { return output }
      output += made
    }
  }

  /// Processes a whole stream in large blocks.
  func run(_ input: [S]) throws -> [S] {
    try run(input, cuttingInput: { 4096 }, cuttingOutput: { 8192 })
  }

  /// Changes the factor gradually within `frames` frames of input.
  func ramp(to factor: Double, within frames: Int) throws {
    if !core.isStream { throw TIMEDSP_BAD_FACTOR }
    core.ramp(to: try Fraction(checked: factor), within: UInt64(frames))
  }

  /// Changes the factor immediately.
  func set(_ factor: Double) throws { try ramp(to: factor, within: 0) }

  /// The input position of the next output frame.
  func position() throws -> Double { Double(core.position.frame) + core.position.fraction }

  /// The maximum number of output frames that `frames` more input frames can produce, as announced
  /// by the scaler.
  func maxOutput(_ frames: Int) throws -> Int { Int(core.framesDue(Int64(frames))) }

  /// In input frames.
  var latency: Int { core.widestWindow.after }
}

/// A C function returned a status other than `TIMEDSP_OK`.
struct UnexpectedStatus: Error {
  let status: TimeDSPStatus
}

func check(_ status: TimeDSPStatus) throws {
  if status != TIMEDSP_OK { throw UnexpectedStatus(status: status) }
}

/// Planes for the functions under test, each in a memory block of its own.
final class Planes<S: TestSample> {
  private let buffers: [UnsafeMutableBufferPointer<S>]
  private let addresses: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>

  init(samples: Int, planes: Int) {
    buffers = (0..<planes).map { _ in
      let buffer = UnsafeMutableBufferPointer<S>.allocate(capacity: samples)
      buffer.initialize(repeating: S(model: 0))
      return buffer
    }
    addresses = .allocate(capacity: planes)
    _ = addresses.initialize(from: buffers.map { UnsafeMutableRawPointer($0.baseAddress) })
  }

  convenience init(interleaved: [S], planes: Int) {
    self.init(samples: interleaved.count / planes, planes: planes)
    if planes == 1 {  // copied as a whole, because tests are not optimised
      _ = buffers[0].update(fromContentsOf: interleaved)
    } else {
      for (index, sample) in interleaved.enumerated() {
        buffers[index % planes][index / planes] = sample
      }
    }
  }

  deinit {
    for buffer in buffers { buffer.deallocate() }
    addresses.deallocate()
  }

  var writable: UnsafePointer<UnsafeMutableRawPointer?>? {
    UnsafePointer(addresses.baseAddress)
  }

  var readable: UnsafePointer<UnsafeRawPointer?>? {
    UnsafeRawPointer(addresses.baseAddress)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
  }

  /// The first `samples` samples of every plane, interleaved.
  func interleaved(samples: Int) -> [S] {
    if buffers.count == 1 { return Array(buffers[0].prefix(samples)) }
    return (0..<samples * buffers.count).map { buffers[$0 % buffers.count][$0 / buffers.count] }
  }
}
