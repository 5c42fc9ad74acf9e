// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension Element {
  /// Merges successive interleaved buffers before a queue until they last 0.4 s. Decoders output as
  /// little as 3 ms, and each buffer costs all elements behind it some time. There mustn't be
  /// flushes.
  func mergeBuffers() {
    let merger = Merger()
    probe("sink", .traffic) { merger.pass($0) }
  }
}

/// `@unchecked Sendable`, because only one streaming thread uses it at a time.
private final class Merger: @unchecked Sendable {
  private var held: UnsafeMutablePointer<GstBuffer>?
  private var isSending = false

  deinit { gst_clear_buffer(&held) }

  func pass(_ passage: Passage) -> GstPadProbeReturn {
    if isSending { return GST_PAD_PROBE_OK }
    guard let buffer = passage.buffer else {
      send(to: passage.pad)
      return GST_PAD_PROBE_OK
    }
    if let held, buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0 {
      self.held = buffer
      passage.replace(with: held)
      return GST_PAD_PROBE_OK
    }
    let whole = held?.merged(with: buffer) ?? buffer
    held = whole
    guard whole.pointee.duration == cgst_no_time || whole.pointee.duration >= 400_000_000 else {
      return GST_PAD_PROBE_HANDLED
    }
    held = nil
    passage.replace(with: whole)
    return GST_PAD_PROBE_OK
  }

  private func send(to pad: UnsafeMutablePointer<GstPad>) {
    guard let rest = held else { return }
    held = nil
    isSending = true
    gst_pad_chain(pad, rest)
    isSending = false
  }
}

extension UnsafeMutablePointer<GstBuffer> {
  /// Takes over both buffers.
  fileprivate func merged(with next: Self) -> Self {
    let (end, endFrames) = (next.end, next.pointee.offset_end)
    let whole = gst_buffer_append(self, next) ?? self
    whole.clearGap()
    whole.pointee.offset_end = endFrames
    whole.pointee.duration = end.map { $0 &- whole.pointee.pts } ?? cgst_no_time
    return whole
  }
}
