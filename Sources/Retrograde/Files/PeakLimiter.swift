// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Glibc
import Synchronization

/// A limiter that looks ahead. It turns all channels down by the same gain for 10 ms before and
/// after each peak above full scale, and doesn't touch any other samples. Its output is ``delay``
/// frames late.
///
/// It works in steps of 1 ms. Within a step, the gain may be 1 / peak at most. We take the minimum
/// over 11 steps, and the mean of 10 such minima is the gain at the boundary between two steps. All
/// 10 cover the steps on either side, so the gain is never higher than either step allows. It
/// changes linearly within a step. Each minimum lasts for half a period of 50 Hz, so bass keeps its
/// shape.
struct PeakLimiter: Sendable {
  private static let meanSteps = 10

  /// In frames.
  let delay: Int
  /// The smallest gain so far, 1 or less.
  private(set) var leastGain = 1.0

  private let channels: Int
  private let stepSamples: Int
  /// The last ``delay`` frames. New samples replace the oldest.
  private var line: [Double]
  private var place = 0
  /// The largest magnitude in the current step of the input.
  private var peak = 0.0
  private var allowed = [Double](repeating: 1, count: meanSteps + 1)
  private var least = [Double](repeating: 1, count: meanSteps)
  /// The gain at the start of the current step of the output, and at its end.
  private var gain = (start: 1.0, end: 1.0)

  /// `rate` is in frames per second.
  init(rate: Int, channels: Int) {
    let step = max(rate / 1000, 1)
    self.channels = max(channels, 1)
    stepSamples = step * self.channels
    delay = step * (Self.meanSteps + 1)
    line = [Double](repeating: 0, count: delay * self.channels)
  }

  /// Replaces interleaved samples with the limited ones from ``delay`` frames earlier. `samples`
  /// must be whole frames. NaN stays as it is, and infinity doesn't count as a peak. Doesn't
  /// allocate.
  mutating func limit<Sample: BinaryFloatingPoint>(_ samples: UnsafeMutableBufferPointer<Sample>) {
    var rest = samples[...]
    while !rest.isEmpty {
      let part = rest.prefix(stepSamples - place % stepSamples)
      rest = rest.dropFirst(part.count)
      exchange(UnsafeMutableBufferPointer(rebasing: part))
      if place % stepSamples == 0 { advance() }
    }
  }

  /// `samples` must belong to one step.
  private mutating func exchange<Sample: BinaryFloatingPoint>(
    _ samples: UnsafeMutableBufferPointer<Sample>
  ) {
    for index in samples.indices {
      let sample = Double(samples[index])
      if abs(sample) > peak, sample.isFinite { peak = abs(sample) }
      samples[index] = Sample(limited(line[place + index], at: place + index))
      line[place + index] = sample
    }
    place = (place + samples.count) % line.count
  }

  private func limited(_ sample: Double, at place: Int) -> Double {
    guard gain.start < 1 || gain.end < 1 else { return sample }
    let share = Double(place % stepSamples / channels * channels) / Double(stepSamples)
    return min(max(sample * (gain.start + (gain.end - gain.start) * share), -1), 1)
  }

  private mutating func advance() {
    allowed.removeFirst()
    allowed.append(peak > 1 ? 1 / peak : 1)
    peak = 0
    least.removeFirst()
    least.append(allowed.min() ?? 1)
    leastGain = min(leastGain, least.last ?? 1)
    gain = (gain.end, least.reduce(0, +) / Double(least.count))
  }
}

/// A limiter in a pipeline, which makes up for the limiter's delay: it drops that many frames at the
/// start, passes in as many frames of silence at the end, and adjusts the timestamps.
final class PeakLimiting: Sendable {
  fileprivate struct State {
    var limiter: PeakLimiter
    /// The frames of the delay that are still to be dropped.
    var earlyFrames: Int
    /// The end of the last buffer that entered.
    var end: GstClockTime?
  }

  private let state: Mutex<State>

  init(_ limiter: PeakLimiter) {
    state = Mutex(State(limiter: limiter, earlyFrames: limiter.delay))
  }

  /// How many dB the highest peak was turned down by.
  var reduction: Double { state.withLock { -20 * log10($0.limiter.leastGain) } }

  /// Limits all floats that enter the element from now on, for as long as it exists.
  func watch(_ element: Element) {
    element.probe("sink", .traffic) { passage in
      guard let format = passage.format,
        [GST_AUDIO_FORMAT_F32LE, GST_AUDIO_FORMAT_F64LE].contains(format.format)
      else { return GST_PAD_PROBE_OK }
      if passage.event?.pointee.type == GST_EVENT_EOS { self.finish(passage.pad, format) }
      guard let buffer = passage.writableBuffer() else { return GST_PAD_PROBE_OK }
      let isLeft = self.state.withLock { $0.limit(buffer, format, passage) }
      return isLeft ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
    }
  }

  private func finish(_ pad: UnsafeMutablePointer<GstPad>, _ format: GstAudioInfo) {
    let (frames, end) = state.withLock { ($0.limiter.delay, $0.end) }
    guard let rest = format.silence(frames, at: end ?? cgst_no_time) else { return }
    gst_pad_chain(pad, rest)
  }
}

extension PeakLimiting.State {
  /// Limits the buffer of `passage`. Returns false if nothing is left of it.
  fileprivate mutating func limit(
    _ buffer: UnsafeMutablePointer<GstBuffer>, _ format: GstAudioInfo, _ passage: Passage
  ) -> Bool {
    buffer.withBytes(writing: true) { bytes in
      if format.format == GST_AUDIO_FORMAT_F32LE {
        limiter.limit(bytes.bindMemory(to: Float.self))
      } else {
        limiter.limit(bytes.bindMemory(to: Double.self))
      }
    }
    buffer.clearGap()
    let frames = buffer.size / max(Int(clamping: format.bpf), 1)
    let early = min(earlyFrames, frames)
    earlyFrames -= early
    let (start, end) = (buffer.pointee.pts, buffer.end)
    let hasDuration = buffer.pointee.duration != cgst_no_time
    var rest = buffer
    if early < frames {
      rest =
        gst_audio_buffer_truncate(
          buffer, format.bpf, gsize(clamping: early), gsize(clamping: frames - early)) ?? buffer
      passage.replace(with: rest)
    }
    if start != cgst_no_time {
      self.end = hasDuration ? end : nil
      let late = format.time(of: limiter.delay - early)
      rest.pointee.pts = max(start, late) - late
      rest.pointee.duration = format.time(of: frames - early)
    }
    return frames > early
  }
}
