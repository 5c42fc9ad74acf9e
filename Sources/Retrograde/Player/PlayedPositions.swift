// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

/// Records which parts of the file a pipeline plays and when, in the pipeline's streaming threads.
final class PlayedPositions: Sendable {
  private let track = Mutex(PositionTrack())

  /// Switches to the next of `passes` when a loop starts again.
  func watch(_ timescale: Element, _ passes: PassFactors) {
    // Unchecked is safe, because the element exists while its pad calls us, and a reference would
    // keep it alive
    let pointer = Unchecked(timescale.pointer)
    timescale.watch("sink") { if self.note(input: $0) { passes.next(pointer.value) } }
    timescale.watch("src") { self.note(output: $0) }
  }

  /// What the pipeline is playing at this running time.
  func played(at running: Duration) -> (position: Duration, direction: Direction)? {
    track.withLock { $0.played(at: running.nanoseconds) }
      .map { (.nanoseconds($0.position), $0.direction) }
  }

  var lastDirection: Direction? { track.withLock { $0.lastDirection } }

  /// The running time at the end of the last sound that we've sent to the sink.
  var reached: Duration { .nanoseconds(track.withLock { $0.reached ?? 0 }) }

  /// True once we've sent the whole stream. The sink may still be playing it.
  var isComplete: Bool { track.withLock { $0.isComplete } }

  /// Returns true if a loop starts again with this buffer.
  private func note(input traffic: PadTraffic) -> Bool {
    switch traffic {
    case .buffer(let times) where times.streamStart >= 0 && times.streamStop >= 0:
      return track.withLock { $0.enter(from: times.streamStart, to: times.streamStop) }
    case .flush: track.withLock { $0.flush() }
    case .buffer, .end: break
    }
    return false
  }

  private func note(output traffic: PadTraffic) {
    switch traffic {
    case .buffer(let times) where times.runningStart >= 0 && times.runningStop >= 0:
      track.withLock { $0.leave(start: times.runningStart, stop: times.runningStop) }
    case .flush: track.withLock { $0.flush() }
    case .end: track.withLock { $0.isComplete = true }
    case .buffer: break
    }
  }
}
