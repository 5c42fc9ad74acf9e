// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Foundation

@testable import TimeDSPCore

/// A reader through its C interface, and the source that it reads.
final class TestSpeedReader<S: TestSample> {
  let source: [S]
  let channels: Int
  private let planes: Int
  private let reader: OpaquePointer?
  private(set) var state = TimeSpeedState()
  private var whole: Planes<S>?

  init(
    _ source: [S], channels: Int = 1, layout: TimeDSPLayout = TIMEDSP_INTERLEAVED,
    quality: Int = 6, fade: Int = 0, continuing other: TestSpeedReader? = nil
  ) throws {
    (self.source, self.channels) = (source, channels)
    planes = layout == TIMEDSP_PLANAR ? channels : 1
    var settings = TimeSpeedSettings(
      audio: TimeDSPConfig(
        format: S.format, layout: layout, interpolation: TIMEDSP_LINEAR,
        channels: UInt32(channels), quality: UInt32(quality)), fade_frames: UInt32(fade))
    var reader: OpaquePointer?
    try check(timespeed_new(&settings, other?.reader, &reader, &state))
    self.reader = reader
    if other == nil { limit(0, frames) }
  }

  deinit { timespeed_free(reader) }

  /// The length of the source in frames.
  var frames: Int { source.count / channels }
  var position: Double { Double(state.frame) + state.fraction }

  func limit(_ start: Int, _ end: Int) { timespeed_limit(reader, Int64(start), Int64(end)) }
  func start(_ frame: Int, _ speed: Double) throws {
    try check(timespeed_start(reader, Int64(frame), speed, &state))
  }
  func ramp(_ speed: Double, _ frames: Int = 0) throws {
    try check(timespeed_ramp(reader, speed, UInt64(frames), &state))
  }
  func scrub(_ frame: Int, _ frames: Int, _ speed: Double = 0) throws {
    try check(timespeed_scrub(reader, Int64(frame), UInt64(frames), speed, &state))
  }
  func wait() { UnsafeMutablePointer<SpeedReader>(reader)?.pointee.wait(480) }

  /// The frames that the next `frames` output frames need.
  func needs(_ frames: Int) -> Range<Int> {
    var (first, end): (Int64, Int64) = (0, 0)
    timespeed_needs(reader, frames, &first, &end)
    return Int(first)..<Int(end)
  }

  /// Reads at most `frames` output frames from the source frames in `window`, which are in memory
  /// blocks of exactly this size. Without a window, the whole source is passed.
  func read(_ frames: Int, _ window: Range<Int>? = nil) throws -> [S] {
    let memory: Planes<S>
    if let window {
      let part = source[window.lowerBound * channels..<window.upperBound * channels]
      memory = Planes(interleaved: Array(part), planes: planes)
    } else {
      memory = whole ?? Planes(interleaved: source, planes: planes)
      whole = memory
    }
    let target = Planes<S>(samples: frames * channels / planes, planes: planes)
    try check(
      timespeed_read(
        reader, memory.readable, Int64(window?.lowerBound ?? 0), window?.count ?? self.frames,
        target.writable, frames, &state))
    return target.interleaved(samples: state.frames_produced * channels / planes)
  }

  /// The interpolation at the positions and speeds of the next `frames` output frames, at every
  /// `step`-th of them, and their sound, in two lists.
  func compare(_ frames: Int, every step: Int, with model: SincModel) throws -> Comparison
  where S == Double {
    var comparison = Comparison()
    for index in 0..<frames {
      let (position, speed) = (self.position, state.speed)
      guard let frame = try read(1).first else { break }
      if index % step > 0 { continue }
      let wanted = model.value(at: position, factor: speed == 0 ? 1 : 1 / abs(speed))
      comparison.add(frame, wanted)
    }
    return comparison
  }
}

/// The power of some numbers, and of their errors.
struct Comparison {
  private var power = 0.0
  private var error = 0.0

  mutating func add(_ value: Double, _ wanted: Double) {
    power += wanted * wanted
    error += (value - wanted) * (value - wanted)
  }

  /// The error relative to the numbers, in dB.
  var decibels: Double { 10 * log10(error / power) }
}
