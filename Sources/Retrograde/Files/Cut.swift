// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// To reach a region, we decode the file from its beginning and drop what comes before. After a seek,
// decoders return slightly different sound, and some files lead them to another place.

extension AudioEdit {
  /// Makes the elements of ``chain(for:into:)`` cut the parts out. `start` is the time of the first
  /// frame that arrives.
  func cut(_ pipeline: Pipeline, _ input: AudioInformation, from start: Duration) {
    func frame(_ time: Duration) -> Int64 {
      Int64(saturating: (time.inSeconds * Double(input.rate)).rounded())
    }
    let frameBytes = SampleFormat.bytes(of: input.sampleFormat) * channels.count(of: input)
    for (index, part) in parts(of: input).enumerated() {
      guard let region = part.region else { continue }
      let cut = Cut(
        frame(region.lowerBound)..<frame(region.upperBound), from: frame(start), rate: input.rate,
        frameBytes: frameBytes, hasGaps: !input.declaresFrames)
      _ = pipeline.element("cut\(index)")?.withPad("sink", cut.watch)
    }
  }
}

/// Lets only some frames of a stream pass, with timestamps that begin at 0, and then ends it.
///
/// `@unchecked Sendable`, because only one streaming thread uses it at a time.
private final class Cut: @unchecked Sendable {
  private let frames: Range<Int64>
  private let rate: guint64
  private let frameBytes: Int
  private let hasGaps: Bool
  private var next: Int64
  private var isOver = false

  /// `start` is the number of the first frame that arrives. With `hasGaps`, there's no sound where the
  /// timestamps jump (``GapMeter``).
  init(_ frames: Range<Int64>, from start: Int64, rate: Int, frameBytes: Int, hasGaps: Bool) {
    (self.frames, next, self.hasGaps) = (frames, start, hasGaps)
    (self.rate, self.frameBytes) = (guint64(clamping: max(rate, 1)), max(frameBytes, 1))
  }

  /// After its end, a pad refuses everything, and a `tee` then ends all its branches. So we drop what
  /// follows before it reaches the pad.
  func watch(_ pad: UnsafeMutablePointer<GstPad>) {
    guard let peer = gst_pad_get_peer(pad) else { return }
    defer { gst_object_unref(peer) }
    peer.probe(.traffic) { self.pass($0) }
  }

  private func pass(_ passage: Passage) -> GstPadProbeReturn {
    guard let buffer = passage.buffer else {
      // a gap would fill the queue of a branch that waits for its turn
      return isOver || passage.isA(GST_EVENT_GAP) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
    }
    skipGap(before: buffer)
    let first = next
    next += Int64(clamping: buffer.size / frameBytes)
    if first >= frames.upperBound { end(passage.pad) }
    let kept = (first..<next).clamped(to: frames)
    guard !kept.isEmpty else { return GST_PAD_PROBE_DROP }
    passage.replace(
      with: gst_audio_buffer_truncate(
        buffer, gint(clamping: frameBytes), gsize(clamping: kept.lowerBound - first),
        gsize(clamping: kept.count)))
    guard let own = passage.writableBuffer() else { return GST_PAD_PROBE_OK }
    own.pointee.pts = time(of: kept.lowerBound)
    own.pointee.duration = time(of: kept.upperBound) - own.pointee.pts
    return GST_PAD_PROBE_OK
  }

  private func skipGap(before buffer: UnsafeMutablePointer<GstBuffer>) {
    let time = buffer.pointee.pts
    guard hasGaps, time != cgst_no_time else { return }
    let frame = Int64(clamping: gst_util_uint64_scale_round(time, rate, 1_000_000_000))
    let least = gst_util_uint64_scale(GapMeter.leastNs, rate, 1_000_000_000)
    if frame > next + Int64(clamping: least) { next = frame }
  }

  private func end(_ pad: UnsafeMutablePointer<GstPad>) {
    guard !isOver, let cut = gst_pad_get_peer(pad) else { return }
    isOver = true
    gst_pad_send_event(cut, gst_event_new_eos())
    gst_object_unref(cut)
  }

  private func time(of frame: Int64) -> GstClockTime {
    gst_util_uint64_scale(guint64(clamping: frame - frames.lowerBound), 1_000_000_000, rate)
  }
}
