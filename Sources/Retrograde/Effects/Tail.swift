// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

/// Appends silence to the audio that enters an element, which must be interleaved floats.
final class Tail: Sendable {
  private let length: Duration
  /// The end of the last buffer.
  private let end = Mutex<GstClockTime?>(nil)

  init(_ length: Duration) { self.length = length }

  func add(to element: Element) {
    element.watch("sink", .traffic) { passage in
      // otherwise, the tail would be clipped
      passage.changeSegment { segment in
        segment.stop = cgst_no_time
        return true
      }
      if let buffer = passage.buffer {
        self.end.withLock { $0 = buffer.end }
      } else if passage.event?.pointee.type == GST_EVENT_EOS {
        self.send(passage)
      } else if passage.event?.pointee.type == GST_EVENT_FLUSH_STOP {
        self.end.withLock { $0 = nil }
      }
    }
  }

  private func send(_ passage: Passage) {
    // don't send a tail if there was no audio
    guard let start = end.withLock({ $0 }), let format = passage.format else { return }
    let most = Int(clamping: max(format.rate / 10, 1))
    let count = Int(saturating: (length.inSeconds * Double(format.rate)).rounded())
    for done in stride(from: 0, to: count, by: most) {
      let piece = format.silence(min(most, count - done), at: start &+ format.time(of: done))
      guard let piece, gst_pad_chain(passage.pad, piece) == GST_FLOW_OK else { return }
    }
  }
}

extension GstAudioInfo {
  /// A new buffer of float samples.
  func silence(_ frames: Int, at start: GstClockTime) -> UnsafeMutablePointer<GstBuffer>? {
    let bytes = gsize(clamping: frames * Int(clamping: bpf))
    guard let buffer = gst_buffer_new_allocate(nil, bytes, nil) else { return nil }
    gst_buffer_memset(buffer, 0, 0, bytes)  // for floats, zero bytes are silence
    buffer.pointee.pts = start
    buffer.pointee.duration = time(of: frames)
    return buffer
  }
}
