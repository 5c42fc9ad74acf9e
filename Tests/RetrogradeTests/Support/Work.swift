// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde
import Synchronization
import Testing

extension AudioEdit {
  func with<Value>(_ path: WritableKeyPath<AudioEdit, Value>, _ value: Value) -> AudioEdit {
    var edit = self
    edit[keyPath: path] = value
    return edit
  }
}

/// The values that work has reported so far.
final class Reports<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  var all: [Value] { values.withLock { $0 } }
  func add(_ value: Value) { values.withLock { $0.append(value) } }
}

/// Cancels work after its first progress, and expects that it throws `CancellationError`.
func cancelling(
  _ work:
    @escaping @Sendable (@escaping @Sendable (AudioFile.Progress) -> Void) async throws -> Void,
  after check: () -> Void = {}
) async {
  let (updates, report) = AsyncStream.makeStream(of: AudioFile.Progress.self)
  let task = Task { try await work { report.yield($0) } }
  for await progress in updates where progress.fraction > 0 { break }
  check()
  task.cancel()
  await #expect(throws: CancellationError.self) { try await task.value }
}
