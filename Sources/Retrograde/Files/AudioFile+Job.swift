// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// Work on a file. You can follow its progress and wait for its result.
  ///
  /// ```swift
  /// let job = song.reverse(to: output)
  /// for await progress in job.progress { print(progress.fraction) }
  /// let rendering = try await job.finish()
  /// ```
  ///
  /// The work goes on until it's done or cancelled, even if you drop the job. If GStreamer finds no
  /// more data for ten seconds, the work fails. We then leave a thread of GStreamer that never
  /// ends, because nobody can end a thread from outside.
  public struct Job<Update: Sendable, Value: Sendable>: Sendable {
    private let board: Broadcast<Update>
    private let task: Task<Value, any Error>

    /// Starts `work`, and passes it a function to report its progress with.
    init(
      _ work:
        @escaping @Sendable (_ report: @escaping @Sendable (Update) -> Void) async throws ->
        Value
    ) {
      let board = Broadcast<Update>(capacity: 1, repeatsLast: true)
      self.board = board
      task = Activity.$current.withValue(Activity()) {
        Task {
          defer { board.end() }
          return try await work { board.send($0) }
        }
      }
    }

    /// Progress of the work: the current value immediately, then each change until the end.
    ///
    /// Each reader gets its own sequence, which ends when the work finishes, fails or is cancelled.
    /// If you read slowly, you only get the newest value.
    public var progress: AsyncStream<Update> { board.stream }

    /// Waits until the work is done, and returns its result.
    ///
    /// Throws the error of the work, a ``RetrogradeError``, or `CancellationError` if the work was
    /// cancelled. If you cancel the task that waits here, you cancel the work, too.
    @discardableResult
    public func finish() async throws -> Value {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }

    /// Cancels the work as soon as possible. It leaves no incomplete file. To know when it has
    /// ended, wait with ``finish()``.
    public func cancel() { task.cancel() }
  }
}
