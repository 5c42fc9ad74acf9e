// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

/// Watches for data passing through the pipelines of a job. With some files, GStreamer reads
/// the same bytes for ever without posting an error. If no data has passed anywhere for ten
/// seconds, we consider the job stuck.
final class Activity: Sendable {
  /// Shared by new pipelines. If it's nil, each gets its own.
  @TaskLocal static var current: Activity?

  private let count = Unchecked(cgst_activity_new())
  private let stuck = Atomic(false)

  deinit { if let count = count.value { cgst_activity_unref(count) } }

  func watch(_ pipeline: UnsafeMutablePointer<GstElement>) {
    cgst_watch_activity(pipeline, count.value)
  }

  /// True if the pipelines' threads will never end, so you mustn't wait for them when you stop the
  /// pipelines.
  var isStuck: Bool {
    get { stuck.load(ordering: .relaxed) }
    set { stuck.store(newValue, ordering: .relaxed) }
  }

  /// Returns when the job is stuck. We count how often we wake up rather than time, because a
  /// stopped process or a busy machine doesn't make progress either.
  func waitUntilStuck() async throws {
    var (last, pauses) = (cgst_activity_get(count.value), 0)
    while pauses < 20 {
      try await Task.sleep(for: .milliseconds(500))
      let now = cgst_activity_get(count.value)
      pauses = now == last ? pauses + 1 : 0
      last = now
    }
    isStuck = true
  }
}
