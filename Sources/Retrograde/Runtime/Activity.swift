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

  /// Rises whenever data passes.
  private let count = Atomic(0)
  private let stuck = Atomic(false)

  /// Counts each buffer that arrives at a sink, and each read from a source, until we've read twice
  /// as much as the source has.
  func watch(_ elements: [Element]) {
    for element in elements {
      if element.isFlagged(GST_ELEMENT_FLAG_SOURCE) {
        let reads = Reads()
        element.watch("src", .reads) { passage in
          if let buffer = passage.buffer, reads.areNew(buffer) { self.add() }
        }
      }
      if element.isFlagged(GST_ELEMENT_FLAG_SINK) {
        element.watch("sink", GST_PAD_PROBE_TYPE_BUFFER) { _ in self.add() }
      }
    }
  }

  private func add() { count.add(1, ordering: .relaxed) }

  /// True if the pipelines' threads will never end, so you mustn't wait for them when you stop the
  /// pipelines.
  var isStuck: Bool {
    get { stuck.load(ordering: .relaxed) }
    set { stuck.store(newValue, ordering: .relaxed) }
  }

  /// Returns when the job is stuck. We count how often we wake up rather than time, because a
  /// stopped process or a busy machine doesn't make progress either.
  func waitUntilStuck() async throws {
    var (last, pauses) = (count.load(ordering: .relaxed), 0)
    while pauses < 20 {
      try await Task.sleep(for: .milliseconds(500))
      let now = count.load(ordering: .relaxed)
      pauses = now == last ? pauses + 1 : 0
      last = now
    }
    isStuck = true
  }
}

/// What has been read from a source.
private final class Reads: Sendable {
  private let bytes = Mutex((read: 0, farthest: 0))

  func areNew(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
    guard let start = Int(exactly: buffer.pointee.offset) else { return false }
    return bytes.withLock { bytes in
      bytes.read += buffer.size
      bytes.farthest = max(bytes.farthest, start &+ buffer.size)
      return buffer.size > 0 && bytes.read - bytes.farthest <= bytes.farthest
    }
  }
}
