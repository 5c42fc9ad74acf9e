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
/// await player.turn(.reverse)
/// for await position in player.positions { print(position.time) }
/// ```
///
/// Every change takes effect during playback: after a change of direction, the frame after n is n −
/// 1. A new factor changes the pitch smoothly, as on a tape. Settings remain for the next file,
/// except for the loop.
///
/// Commands are executed in the order of the calls, from any task: a call during ``open(_:)`` waits
/// until the file is open.
public actor AudioPlayer {
  /// Positions of the playhead: the current one immediately, then twenty a second during playback,
  /// and one after each change.
  ///
  /// Every reader has its own stream, which ends with ``close()``. Only the newest unread position
  /// is kept.
  public nonisolated var positions: AsyncStream<Position> { positionBoard.stream }
  /// The newest position that ``positions`` has sent, or nil before the first file is open, and
  /// after ``close()``. Reading this property does not wait for the player. The position is never
  /// older than an event: after ``Event/ended`` it is the end of the file.
  public nonisolated var position: Position? { positionBoard.last }
  /// Events that occur from now on.
  ///
  /// Every reader has its own stream, which ends with ``close()``. The stream keeps the last 256
  /// unread events.
  public nonisolated var events: AsyncStream<Event> { eventBoard.stream }
  /// The destination of the sound.
  public nonisolated let sink: Sink
  /// The effects that are applied to the sound, in this order.
  public nonisolated let effects: [AudioEffect]

  /// Information on the open file.
  public internal(set) var information: AudioInformation?
  /// The state of the player.
  public internal(set) var state = State.empty
  /// Direction of playback, as last requested.
  public internal(set) var direction = AudioEdit.Direction.forward
  /// Frames of the file per frame of output, before the ``factor``. Below 0 backwards.
  public internal(set) var speed = 1.0
  /// Duration of the output / duration of the file. Below 1 is faster.
  public internal(set) var factor = ScaleFactor.one
  /// How the pitch changes.
  public internal(set) var pitch = AudioEdit.Pitch.following
  /// How values between two frames are interpolated while the factor is not 1.
  public internal(set) var interpolation = AudioEdit.Interpolation.sinc
  /// The channels that are played.
  public internal(set) var channels = AudioEdit.Channels.all
  /// The volume, 0 … 1 as on a fader.
  public internal(set) var volume = 1.0
  /// The loop of the open file.
  public internal(set) var loop = Loop()

  nonisolated let positionBoard = Broadcast<Position>(capacity: 1, repeatsLast: true)
  nonisolated let eventBoard = Broadcast<Event>(capacity: 256)
  var queue = CommandQueue()
  var loaded: LoadedFile?
  var recorder: Recorder?
  /// The last reported position.
  var playhead = Duration.zero
  /// The running time at which the sound ran out, or nil while there is sound to play.
  var dryAt: Duration?
  /// For how many intervals it has been ``dryAt``.
  var dryTicks = 0
  /// The tasks that monitor the pipeline of the open file.
  var watchers: [Task<Void, Never>] = []

  /// Creates a player. Neither a file nor the sound device is opened yet.
  ///
  /// The effects apply to all files. If effects have the place ``AudioEffect/Place/before``, each
  /// opened file is first written through them into a temporary file without a name, with 4 bytes
  /// per sample.
  public init(sink: Sink = .automatic, effects: [AudioEffect] = []) {
    self.sink = sink
    self.effects = effects
  }

  deinit {
    for watcher in watchers { watcher.cancel() }
    recorder?.close()
  }

  /// Calls `body` with the pipeline of the open file, a `GstElement *`, or with nil if no file is
  /// open, for features that this class lacks. To use the pipeline after the call, take a reference
  /// to it. Each file has a new pipeline.
  ///
  /// `body` runs in the executor of the player, whatever the isolation of the surrounding code.
  /// Therefore it may capture only `Sendable` values.
  ///
  /// In the pipeline, the elements are named "revbuf" and "timescale". This is the only function of
  /// the library that exposes GStreamer.
  public func withPipeline<Result: Sendable>(
    _ body: @Sendable (UnsafeMutableRawPointer?) throws -> Result
  ) rethrows -> Result {
    try body(loaded.map { UnsafeMutableRawPointer($0.pipeline.pointer) })
  }
}
