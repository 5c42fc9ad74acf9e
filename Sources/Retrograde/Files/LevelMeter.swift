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

final class LevelMeter: Sendable {
  private let sum = Mutex(Level())

  var level: Level { sum.withLock { $0 } }

  /// Measures all buffers from now on, for as long as the element exists.
  func watch(_ element: Element) {
    element.watch("sink", GST_PAD_PROBE_TYPE_BUFFER) { passage in
      guard let format = passage.format else { return }
      passage.buffer?.withBytes { self.add(UnsafeRawBufferPointer($0), format) }
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer, _ info: GstAudioInfo) {
    let channels = Int(clamping: info.channels)
    sum.withLock { sum in
      switch info.format {
      case GST_AUDIO_FORMAT_F32LE: sum.add(bytes.bindMemory(to: Float.self), channels: channels)
      case GST_AUDIO_FORMAT_F64LE: sum.add(bytes.bindMemory(to: Double.self), channels: channels)
      default: sum.frames += Int64(clamping: bytes.count / max(Int(clamping: info.bpf), 1))
      }
    }
  }
}
