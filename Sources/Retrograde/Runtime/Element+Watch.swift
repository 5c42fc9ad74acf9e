// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

enum PadTraffic: Sendable {
  case buffer(CGstBufferTimes)
  /// A flush, which discards all queued data and restarts the running time.
  case flush
  /// The end of the stream. No data follows unless you seek.
  case end
}

/// An object so that C can hold a reference to it.
private final class Watch: Sendable {
  let note: @Sendable (PadTraffic) -> Void
  init(_ note: @escaping @Sendable (PadTraffic) -> Void) { self.note = note }
}

extension Element {
  /// Calls `note` for all traffic on the pad from now on, in the streaming thread.
  func watch(_ pad: String, _ note: @escaping @Sendable (PadTraffic) -> Void) {
    cgst_watch(
      pointer, pad,
      { traffic, times, data in
        guard let data else { return }
        let watch = Unmanaged<Watch>.fromOpaque(data).takeUnretainedValue()
        switch traffic {
        case CGST_PASSAGE_FLUSH: watch.note(.flush)
        case CGST_PASSAGE_END: watch.note(.end)
        default: if let times { watch.note(.buffer(times.pointee)) }
        }
      },
      Unmanaged.passRetained(Watch(note)).toOpaque(),
      { data in if let data { Unmanaged<Watch>.fromOpaque(data).release() } })
  }
}
