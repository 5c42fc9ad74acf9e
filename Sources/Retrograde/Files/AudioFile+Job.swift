// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// Running work on a file: its progress and its result.
  ///
  /// ```swift
  /// let job = song.reverse(to: output)
  /// for await progress in job.progress { print(progress.fraction) }
  /// let rendering = try await job.finish()
  /// ```
  ///
  /// It continues even if no reference is kept, as a `Task` does, until it is done or cancelled.
  public struct Job<Update: Sendable, Value: Sendable>: Sendable {
    private let board: Broadcast<Update>
    private let task: Task<Value, any Error>

    /// Starts `work`, which receives a function to report its progress.
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

    /// Progress of the work: the current value immediately, then each change, and the end.
    ///
    /// Every reader has its own sequence, which ends when the work ends, however that happens.
    /// Values that a reader does not consume in time are dropped: only the newest counts.
    public var progress: AsyncStream<Update> { board.stream }

    /// Waits until the work is done, and returns its result.
    ///
    /// Throws its error, a ``RetrogradeError``, or `CancellationError` if the work was cancelled.
    /// When the task that waits here is cancelled, so is the work.
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
