// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// Work on a file that has begun: how far it is, and what comes of it.
  ///
  /// ```swift
  /// let job = song.reverse(to: output)
  /// for await progress in job.progress { print(progress.fraction) }
  /// let rendering = try await job.finish()
  /// ```
  ///
  /// It goes on though nobody holds it, as a `Task` does, until it is done or cancelled.
  public struct Job<Update: Sendable, Value: Sendable>: Sendable {
    private let board: Broadcast<Update>
    private let task: Task<Value, any Error>

    /// Begins `work`, which is given what to call with how far it is.
    init(
      _ work:
        @escaping @Sendable (_ report: @escaping @Sendable (Update) -> Void) async throws ->
        Value
    ) {
      let board = Broadcast<Update>(capacity: 1, repeatsLast: true)
      self.board = board
      task = Task {
        defer { board.end() }
        return try await work { board.send($0) }
      }
    }

    /// How far the work is: at once, as often as something new is known, and at its end.
    ///
    /// Every reader has a sequence of its own, which ends with the work, however that ends.
    /// What a reader does not take in time is left out: the newest is what counts.
    public var progress: AsyncStream<Update> { board.stream }

    /// Waits until the work is done, and gives what came of it.
    ///
    /// Throws what went wrong, a ``RetrogradeError``, or `CancellationError` where the work was
    /// cancelled. When the task that waits here is cancelled, so is the work.
    @discardableResult
    public func finish() async throws -> Value {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }

    /// Ends the work as soon as may be; nothing half written is left. Wait with ``finish()`` to
    /// know that it has ended.
    public func cancel() { task.cancel() }
  }
}
