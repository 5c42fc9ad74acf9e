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
/// Every change takes effect during playback: after a change of direction, the frame after n is n −
/// 1. A new factor changes the pitch smoothly, as on a tape. The next file gets the same settings,
/// except for the loop.
///
/// The player executes commands in the order of the calls, from any task. If you call it during
/// ``open(_:)``, the call waits until the file is open.
public actor AudioPlayer {
  /// Positions of the playhead: the current one immediately, then twenty a second during playback,
  /// and one after each change.
  ///
  /// Each reader gets its own stream, which ends with ``close()``. If you read slowly, you only get
  /// the newest position.
  public nonisolated var positions: AsyncStream<Position> { positionBoard.stream }
  /// The newest position that ``positions`` has sent. It's nil before the first file is open, and
  /// after ``close()``. You don't have to wait for the player to read it. It's never older than an
  /// event: after ``Event/ended`` it's the end of the file.
  public nonisolated var position: Position? { positionBoard.last }
  /// Events that occur from now on.
  ///
  /// Each reader gets its own stream, which ends with ``close()``. The stream keeps the last 256
  /// unread events.
  public nonisolated var events: AsyncStream<Event> { eventBoard.stream }
  /// Where the sound goes.
  public nonisolated let sink: Sink
  /// The effects, in the order in which they apply.
  public nonisolated let effects: [AudioEffect]

  /// Information on the open file.
  public internal(set) var information: AudioInformation?
  /// The state of the player.
  public internal(set) var state = State.empty
  /// Direction of playback, as you last requested it.
  public internal(set) var direction = Direction.forward
  /// Frames of the file per frame of output, before the ``Settings/factor``. Below 0, it plays backwards.
  public internal(set) var speed = 1.0
  /// How the player sounds. ``apply(_:)`` changes it.
  public internal(set) var settings = Settings()

  nonisolated let positionBoard = Broadcast<Position>(capacity: 1, repeatsLast: true)
  nonisolated let eventBoard = Broadcast<Event>(capacity: 256)
  var queue = CommandQueue()
  var loaded: LoadedFile?
  var recorder: Recorder?
  var playhead = Duration.zero
  /// The running time at which the sound ran out. It's nil while there's sound to play.
  var dryAt: Duration?
  var dryTicks = 0
  var watchers: [Task<Void, Never>] = []

  /// Creates a player. It opens neither a file nor the sound device yet.
  ///
  /// The effects apply to all files. If effects have the place ``AudioEffect/Place/before``, each
  /// file that you open first goes through them into a temporary file without a name, with 4 bytes
  /// per sample.
  public init(sink: Sink = .automatic, effects: [AudioEffect] = []) {
    self.sink = sink
    self.effects = effects
  }

  deinit {
    for watcher in watchers { watcher.cancel() }
    recorder?.close()
  }

  /// For what this class can't do, you get the pipeline of the open file, a `GstElement *`, in
  /// `body`. Without an open file, it's nil. To use the pipeline after the call, take a reference
  /// to it. Each file has a new pipeline.
  ///
  /// `body` runs in the executor of the player, whatever the isolation of the surrounding code. So
  /// it may capture only `Sendable` values.
  ///
  /// In the pipeline, the elements are named "revbuf" and "timescale". No other function of the
  /// library exposes GStreamer.
  public func withPipeline<Result: Sendable>(
    _ body: @Sendable (UnsafeMutableRawPointer?) throws -> Result
  ) rethrows -> Result {
    try body(loaded.map { UnsafeMutableRawPointer($0.pipeline.pointer) })
  }
}
