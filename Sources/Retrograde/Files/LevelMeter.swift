// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Glibc
import Synchronization

struct Level: Sendable, Equatable {
  var frames: Int64 = 0
  /// The largest magnitude of a sample, relative to full scale. Only measured for floats.
  var peak = 0.0
  var clipped: Int64 = 0

  /// Peak in dB relative to full scale. Positive if samples exceed full scale.
  var excess: Double { peak > 0 ? 20 * log10(peak) : -.infinity }

  /// The largest factor that avoids clipping, if samples have been multiplied by `factor` so far.
  /// Nil if nothing clips, or if there's no such factor.
  func amplification(insteadOf factor: Float) -> Float? {
    clipped > 0 ? .bringing(peak, to: Double(factor)) : nil
  }

  /// `samples` are whole interleaved frames. NaN counts as silence.
  mutating func add(_ samples: UnsafeBufferPointer<Float>, channels: Int) {
    add(samples, peak: samples.peak, channels: channels)
  }

  mutating func add(_ samples: UnsafeBufferPointer<Double>, channels: Int) {
    add(samples, peak: samples.peak, channels: channels)
  }

  private mutating func add<Sample: BinaryFloatingPoint>(
    _ samples: UnsafeBufferPointer<Sample>, peak new: Sample, channels: Int
  ) {
    peak = max(peak, Double(new))
    if new > 1 { clipped += Int64(clamping: samples.count { abs($0) > 1 }) }
    frames += Int64(clamping: samples.count / max(channels, 1))
  }
}

extension Collection where Element: BinaryFloatingPoint {
  /// NaN counts as silence.
  fileprivate var peak: Element {
    reduce(0) { abs($1) > $0 ? abs($1) : $0 }
  }
}

extension UnsafeBufferPointer<Float> {
  /// NaN counts as silence. We compare bit patterns without the sign bit, which sort like the
  /// magnitudes with NaN above infinity, because the compiler can vectorise integer comparisons.
  fileprivate var peak: Float {
    guard let baseAddress else { return 0 }
    let largest = baseAddress.withMemoryRebound(to: Int32.self, capacity: count) { bits in
      var largest: Int32 = 0
      var index = 0
      while index < count {
        largest = Swift.max(largest, bits[index] & .max)
        index += 1
      }
      return largest
    }
    let peak = Float(bitPattern: UInt32(bitPattern: largest))
    return peak.isNaN ? self[...].peak : peak
  }
}

extension Level {
  fileprivate mutating func add(_ bytes: UnsafeRawBufferPointer, _ info: GstAudioInfo) {
    let channels = Int(clamping: info.channels)
    switch info.format {
    case GST_AUDIO_FORMAT_F32LE: add(bytes.bindMemory(to: Float.self), channels: channels)
    case GST_AUDIO_FORMAT_F64LE: add(bytes.bindMemory(to: Double.self), channels: channels)
    default: frames += Int64(clamping: bytes.count / max(Int(clamping: info.bpf), 1))
    }
  }
}

/// Limits the samples that enter an element if there's a limiter, and measures them.
final class LevelMeter: Sendable {
  private struct State {
    var level = Level()
    var limiting: PeakLimiting?
  }

  private let state: Mutex<State>

  init(_ limiter: PeakLimiter?) {
    state = Mutex(State(limiting: limiter.map { PeakLimiting($0) }))
  }

  var level: Level { state.withLock { $0.level } }

  /// How many dB the highest peak was turned down by.
  var reduction: Double { state.withLock { $0.limiting?.reduction ?? 0 } }

  /// Limits and measures all buffers from now on, for as long as the element exists.
  func watch(_ element: Element) {
    element.probe("sink", .traffic) { [self] passage in
      guard let format = passage.format else { return GST_PAD_PROBE_OK }
      if passage.event?.pointee.type == GST_EVENT_EOS { finish(passage.pad, format) }
      let isLeft = state.withLock { state in
        guard passage.buffer != nil else { return true }
        if state.limiting?.limit(passage, format) == false { return false }
        passage.buffer?.withBytes { state.level.add(UnsafeRawBufferPointer($0), format) }
        return true
      }
      return isLeft ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
    }
  }

  /// Passes in silence to get the frames that the limiter still holds.
  private func finish(_ pad: UnsafeMutablePointer<GstPad>, _ format: GstAudioInfo) {
    let (frames, end) = state.withLock { ($0.limiting?.limiter.delay ?? 0, $0.limiting?.end) }
    guard frames > 0, format.isFloat, let rest = format.silence(frames, at: end ?? cgst_no_time)
    else { return }
    gst_pad_chain(pad, rest)
  }
}
