// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Glibc

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
  /// After so many steps at the most, the gain is 1 again.
  private var activeSteps = 0
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
    // without `&&`, so that the compiler can vectorise it
    let isQuiet = samples.reduce(UInt32(0)) { $0 | (abs($1) <= 1 ? 0 : 1) } == 0
    var rest = samples[...]
    while !rest.isEmpty {
      let isIdle = isQuiet && activeSteps == 0 && peak <= 1
      let part = rest.prefix(isIdle ? line.count - place : stepSamples - place % stepSamples)
      rest = rest.dropFirst(part.count)
      if isIdle {
        exchange(UnsafeMutableBufferPointer(rebasing: part))
      } else {
        limitStep(UnsafeMutableBufferPointer(rebasing: part))
      }
      place = (place + part.count) % line.count
      if place % stepSamples == 0 { advance() }
    }
  }

  private mutating func exchange<Sample: BinaryFloatingPoint>(
    _ samples: UnsafeMutableBufferPointer<Sample>
  ) {
    line.withUnsafeMutableBufferPointer { [place] line in
      let held = UnsafeMutableBufferPointer(rebasing: line[place..<place + samples.count])
      for index in samples.indices {
        let sample = Double(samples[index])
        samples[index] = Sample(held[index])
        held[index] = sample
      }
    }
  }

  /// `samples` must belong to one step.
  private mutating func limitStep<Sample: BinaryFloatingPoint>(
    _ samples: UnsafeMutableBufferPointer<Sample>
  ) {
    for index in samples.indices {
      let sample = Double(samples[index])
      if abs(sample) > peak, sample.isFinite { peak = abs(sample) }
      samples[index] = Sample(limited(line[place + index], at: place + index))
      line[place + index] = sample
    }
  }

  private func limited(_ sample: Double, at place: Int) -> Double {
    guard gain.start < 1 || gain.end < 1 else { return sample }
    let share = Double(place % stepSamples / channels * channels) / Double(stepSamples)
    return min(max(sample * (gain.start + (gain.end - gain.start) * share), -1), 1)
  }

  private mutating func advance() {
    if peak > 1 { activeSteps = 2 * Self.meanSteps + 2 }
    guard activeSteps > 0 else { return }
    activeSteps -= 1
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
/// start and adjusts the timestamps. At the end, as many frames of silence have to follow.
struct PeakLimiting {
  private(set) var limiter: PeakLimiter
  /// The frames of the delay that are still to be dropped.
  private var earlyFrames: Int
  /// The end of the last buffer that entered.
  private(set) var end: GstClockTime?

  init(_ limiter: PeakLimiter) { (self.limiter, earlyFrames) = (limiter, limiter.delay) }

  /// How many dB the highest peak was turned down by.
  var reduction: Double { -20 * log10(limiter.leastGain) }

  /// Limits the floats of `passage`. Returns false if nothing is left of them.
  mutating func limit(_ passage: Passage, _ format: GstAudioInfo) -> Bool {
    guard format.isFloat,
      let buffer = passage.writableBuffer()
    else { return true }
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
