// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

/// What a pipeline plays and when, and the factors for the passes of a loop. Its streaming threads
/// call this.
final class Playback: Sendable {
  private let track = Mutex(PositionTrack())
  /// The first one is that of the pass that's being sent.
  private let factors = Mutex<[ScaleFactor]>([])

  func watch(_ timescale: Element) {
    // Unchecked is safe, because the element exists while its pad calls us, and a reference would
    // keep it alive
    let pointer = Unchecked(timescale.pointer)
    timescale.watch("sink", .traffic) { passage in
      let isJump = self.track.withLock { track in
        if passage.isA(GST_EVENT_FLUSH_STOP) { track.flush() }
        let times = passage.times(gst_segment_to_stream_time_full)
        return times.map { track.enter(from: $0.start, to: $0.stop) } ?? false
      }
      if isJump { self.beginNextPass(Element(sharing: pointer.value)) }
    }
    timescale.watch("src", .traffic) { passage in
      self.track.withLock { track in
        if passage.isA(GST_EVENT_FLUSH_STOP) { track.flush() }
        if passage.isA(GST_EVENT_EOS) { track.isComplete = true }
        let times = passage.times(gst_segment_to_running_time_full)
        times.map { track.leave(start: $0.start, stop: $0.stop) }
      }
    }
  }

  /// Reads from the track.
  func callAsFunction<Value: Sendable>(_ read: (PositionTrack) -> Value) -> Value {
    track.withLock { read($0) }
  }

  // MARK: - Factors

  /// The factor of the pass that's being sent.
  var factor: ScaleFactor { factors.withLock { $0.first ?? .one } }

  func begin(_ all: [ScaleFactor], _ timescale: Element) {
    factors.withLock { $0 = all }
    timescale.set("factor", factor.value)
  }

  /// At a jump, `timescale` outputs what it still holds and starts over, so a factor that we set
  /// here applies from the first frame of the pass.
  private func beginNextPass(_ timescale: Element) {
    let next = factors.withLock { factors -> ScaleFactor? in
      guard factors.count > 1 else { return nil }
      factors.removeFirst()
      return factors.first
    }
    if let next { timescale.set("factor", next.value) }
  }
}
