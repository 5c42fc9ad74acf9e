// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

/// Adds up the gaps of more than 50 ms between the buffers that enter an element.
final class GapMeter: Sendable {
  /// Less is rounding.
  static let leastNs: GstClockTime = 50_000_000

  private let state = Mutex((end: GstClockTime?.none, gaps: GstClockTime(0)))

  func watch(_ element: Element) {
    element.watch("sink", GST_PAD_PROBE_TYPE_BUFFER) { [self] passage in
      guard let buffer = passage.buffer, let end = buffer.end else { return }
      state.withLock { state in
        let last = state.end ?? buffer.pointee.pts
        if buffer.pointee.pts > last &+ Self.leastNs { state.gaps &+= buffer.pointee.pts - last }
        state.end = end
      }
    }
  }

  /// A sentence about what's missing. Nil if there are no gaps.
  var loss: String? {
    let seconds = Double(state.withLock { $0.gaps }) / 1e9
    return seconds > 0 ? "\((seconds * 100).rounded() / 100) s are missing inside" : nil
  }
}
