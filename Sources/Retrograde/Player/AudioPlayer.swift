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
/// Every change takes effect during playback: the next frame after n is n − 1 when the direction
/// changes, and a new factor bends the pitch as on a tape. Settings stay for the next file; only
/// the loop belongs to the open one.
///
/// Commands run one after the other, in the order of the calls, from any task: a call during
/// ``open(_:)`` waits until the file is open.
public actor AudioPlayer {
  /// Positions of the playhead: the current one immediately, then twenty a second during playback,
  /// and one after each change.
  ///
  /// Every reader has its own stream, which ends with ``close()``. Positions that it does not read
  /// in time are dropped.
  public nonisolated var positions: AsyncStream<Position> { positionBoard.stream }
  /// The newest position that ``positions`` has sent; nil before the first file is open, and after
  /// ``close()``. It does not wait for the player. It is never older than an event: after
  /// ``Event/ended`` it is the end of the file.
  public nonisolated var position: Position? { positionBoard.last }
  /// Events from now on.
  ///
  /// Every reader has its own stream, which ends with ``close()``. It keeps the last 256 unread
  /// events.
  public nonisolated var events: AsyncStream<Event> { eventBoard.stream }
  /// The destination of the sound.
  public nonisolated let sink: Sink
  /// The effects that the sound goes through, in this order.
  public nonisolated let effects: [AudioEffect]

  /// Information on the open file.
  public internal(set) var information: AudioInformation?
  /// The state of the player.
  public internal(set) var state = State.empty
  /// Direction of playback, as last requested.
  public internal(set) var direction = AudioEdit.Direction.forward
  /// Duration of the output / duration of the file; below 1 is faster.
  public internal(set) var factor = ScaleFactor.one
  /// How the pitch changes.
  public internal(set) var pitch = AudioEdit.Pitch.following
  /// How values between two frames are found while the factor is not 1.
  public internal(set) var interpolation = AudioEdit.Interpolation.sinc
  /// The channels that are played.
  public internal(set) var channels = AudioEdit.Channels.all
  /// How loud it is, 0 … 1 as on a fader.
  public internal(set) var volume = 1.0
  /// The loop of the open file.
  public internal(set) var loop = Loop()

  nonisolated let positionBoard = Broadcast<Position>(capacity: 1, repeatsLast: true)
  nonisolated let eventBoard = Broadcast<Event>(capacity: 256)
  var queue = CommandQueue()
  var deck: Deck?
  var recorder: Recorder?
  /// The last reported position.
  var place = Duration.zero
  /// The tasks that watch the open file's pipeline.
  var watchers: [Task<Void, Never>] = []

  /// Nothing is opened yet, not even the sound device.
  ///
  /// Effects stay for all files. If there are some in the place ``AudioEffect/Place/before``, each
  /// opened file is first written through them, into a temporary file without a name, of 4 bytes a
  /// sample.
  public init(sink: Sink = .automatic, effects: [AudioEffect] = []) {
    self.sink = sink
    self.effects = effects
  }

  deinit {
    for watcher in watchers { watcher.cancel() }
    recorder?.close()
  }

  /// Lends the pipeline of the open file, a `GstElement *`, for features that this class lacks; nil
  /// if no file is open. Take a reference to keep it. Each file has a new one.
  ///
  /// `body` runs in the player's own executor, whatever the isolation of the code around it; so it
  /// may capture only `Sendable` values.
  ///
  /// Its elements `revbuf` and `timescale` have these names. This is the only place where the
  /// library exposes GStreamer.
  public func withPipeline<Result: Sendable>(
    _ body: @Sendable (UnsafeMutableRawPointer?) throws -> Result
  ) rethrows -> Result {
    try body(deck.map { UnsafeMutableRawPointer($0.pipeline.pointer) })
  }
}
