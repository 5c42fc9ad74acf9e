// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// Work on a file that is in progress: its progress and its result.
  ///
  /// ```swift
  /// let job = song.reverse(to: output)
  /// for await progress in job.progress { print(progress.fraction) }
  /// let rendering = try await job.finish()
  /// ```
  ///
  /// The work continues until it is done or cancelled, even if nothing refers to the job any more.
  /// It fails if GStreamer finds no more data for ten seconds. A thread of GStreamer that never
  /// ends is left then, because no thread can be ended from outside.
  public struct Job<Update: Sendable, Value: Sendable>: Sendable {
    private let board: Broadcast<Update>
    private let task: Task<Value, any Error>

    /// Starts `work`, which is passed a function for reporting its progress.
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
    /// Every reader has its own sequence, which ends when the work finishes, fails or is cancelled.
    /// Only the newest unread value is kept.
    public var progress: AsyncStream<Update> { board.stream }

    /// Waits until the work is done, and returns its result.
    ///
    /// Throws the error of the work, a ``RetrogradeError``, or `CancellationError` if the work was
    /// cancelled. Cancelling the task that waits here cancels the work, too.
    @discardableResult
    public func finish() async throws -> Value {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }

    /// Cancels the work as soon as possible. No incomplete file is left. Wait with ``finish()``
    /// until it has ended.
    public func cancel() { task.cancel() }
  }
}
