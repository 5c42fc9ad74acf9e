// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

/// Plays audio files in both directions and at any speed.
///
/// ```swift
/// let player = AudioPlayer()
/// try await player.open(AudioFile(URL(fileURLWithPath: "song.mp3")))
/// await player.play()
/// await player.setDirection(.reverse)
/// for await position in player.positions { print(position.time) }
/// ```
///
/// Every change takes effect during playback. If you reverse the direction, the frame after n is n
/// − 1, and a new factor changes the pitch smoothly, as on a tape. The next file gets the same
/// settings, except for the loop.
///
/// The player executes commands in the order that you call them, from any task. Calls during
/// ``open(_:)`` wait until the file is open.
public actor AudioPlayer {
  /// Positions of the playhead: the current one immediately, then twenty a second during playback,
  /// and one after each change.
  ///
  /// Each reader gets its own stream, which ends with ``close()``. If you read slowly, you only get
  /// the latest position.
  public nonisolated var positions: AsyncStream<Position> { positionBoard.stream }
  /// The latest position that ``positions`` has sent. Nil before the first file is open, and after
  /// ``close()``. You don't have to wait for the player to read it. It's never older than an event,
  /// so after ``Event/ended`` it's the end of the file.
  public nonisolated var position: Position? { positionBoard.last }
  /// Events that occur from now on.
  ///
  /// Each reader gets its own stream, which ends with ``close()``. The stream keeps the last 256
  /// unread events.
  public nonisolated var events: AsyncStream<Event> { eventBoard.stream }
  /// Where the sound goes.
  public nonisolated let sink: Sink
  /// The effects, in the order that they're applied.
  public nonisolated let effects: [AudioEffect]

  /// Information about the open file.
  public internal(set) var information: AudioInformation?
  /// The state of the player.
  public internal(set) var state = State.empty
  /// The playback direction that you last asked for.
  public internal(set) var direction = Direction.forward
  /// File frames per output frame, before the ``Settings/factor``. Negative values play backwards.
  public internal(set) var speed = 1.0
  /// How the player sounds. ``apply(_:)`` changes it.
  public internal(set) var settings = Settings()

  nonisolated let positionBoard = Broadcast<Position>(capacity: 1, repeatsLast: true)
  nonisolated let eventBoard = Broadcast<Event>(capacity: 256)
  /// True while a command runs. Other callers wait here.
  var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  var loaded: LoadedFile?
  var recorder: Recorder?
  var playhead = Duration.zero
  /// The running time when the sound ran out, in ns, or nil while there's sound to play.
  var dryAt: Int64?
  var dryTicks = 0
  var watchers: [Task<Void, Never>] = []

  /// Creates a player. Doesn't open a file or the sound device yet.
  ///
  /// The effects apply to all files. If any of them have the place ``AudioEffect/Place/before``,
  /// opening a file first renders it through them to an unnamed temporary file, with 4 bytes per
  /// sample.
  public init(sink: Sink = .automatic, effects: [AudioEffect] = []) {
    self.sink = sink
    self.effects = effects
  }

  deinit {
    for watcher in watchers { watcher.cancel() }
    recorder?.close()
  }

  /// Runs commands one at a time, in the order of the calls.
  ///
  /// The actor accepts other calls while a command waits for GStreamer. They wait here so that they
  /// don't see a half-finished command. Messages from the pipeline are handled as commands, too.
  func inOrder<Result, Failure>(
    _ command: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    if isBusy { await withCheckedContinuation { waiting.append($0) } }
    isBusy = true
    defer {
      isBusy = !waiting.isEmpty
      if isBusy { waiting.removeFirst().resume() }  // the next command runs
    }
    return try await command()
  }

  /// Passes the pipeline of the open file to `body` as a `GstElement *`, or nil if no file is open,
  /// for things that this class can't do. Take a reference to the pipeline if you want to use it
  /// after the call. Each file gets a new pipeline.
  ///
  /// `body` runs on the player's executor, whatever the isolation of the surrounding code, so it
  /// may only capture `Sendable` values.
  ///
  /// In the pipeline, the elements are named "revbuf" and "timescale". No other function of the
  /// library exposes GStreamer.
  public func withPipeline<Result: Sendable>(
    _ body: @Sendable (UnsafeMutableRawPointer?) throws -> Result
  ) rethrows -> Result {
    try body(loaded.map { UnsafeMutableRawPointer($0.pipeline.pointer) })
  }
}
