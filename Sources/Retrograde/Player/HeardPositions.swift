// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

/// The places of a file that go through a pipeline, as its streaming threads note them.
final class HeardPositions: Sendable {
  private let track = Mutex(PositionTrack())

  /// Notes what goes through `timescale` from now on.
  func watch(_ timescale: Element) {
    cgst_watch(
      timescale.pointer, "sink",
      { passage, data in HeardPositions.from(data)?.note(input: passage?.pointee) },
      Unmanaged.passRetained(self).toOpaque(), HeardPositions.release)
    cgst_watch(
      timescale.pointer, "src",
      { passage, data in HeardPositions.from(data)?.note(output: passage?.pointee) },
      Unmanaged.passRetained(self).toOpaque(), HeardPositions.release)
  }

  /// The place that is heard at a running time of the pipeline, and which way it goes.
  func heard(at running: Duration) -> (place: Duration, direction: Direction)? {
    track.withLock { $0.heard(at: running.nanoseconds) }
      .map { (.nanoseconds($0.place), $0.direction) }
  }

  /// Which way the last of what has been sent goes.
  var lastDirection: Direction? { track.withLock { $0.lastDirection } }

  private func note(input passage: CGstPassage?) {
    guard let passage else { return track.withLock { $0.flush() } }
    guard passage.stream_start_ns >= 0, passage.stream_stop_ns >= 0 else { return }
    track.withLock { $0.enter(from: passage.stream_start_ns, to: passage.stream_stop_ns) }
  }

  private func note(output passage: CGstPassage?) {
    guard let passage else { return track.withLock { $0.flush() } }
    guard passage.running_start_ns >= 0, passage.running_stop_ns >= 0 else { return }
    track.withLock {
      $0.leave(start: passage.running_start_ns, stop: passage.running_stop_ns)
    }
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> HeardPositions? {
    data.map { Unmanaged<HeardPositions>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    if let data { Unmanaged<HeardPositions>.fromOpaque(data).release() }
  }
}
