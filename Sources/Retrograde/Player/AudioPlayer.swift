// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

/// Plays audio files, either way and at any speed.
///
/// ```swift
/// let player = AudioPlayer()
/// try await player.open(AudioFile(URL(fileURLWithPath: "song.mp3")))
/// await player.play()
/// await player.turn(.reverse)
/// for await position in player.positions { print(position.time) }
/// ```
///
/// Everything takes effect while it plays: the next frame after n is n − 1 when it
/// turns around, and a new factor bends the pitch as on a tape. What is set stays for
/// the next file; only the loop belongs to the one that is open.
///
/// Commands are done one after the other, in the order in which they are given, whichever
/// tasks they come from: what is asked for while a file is being opened waits until it is.
public actor AudioPlayer {
  /// Where play is: at once, twenty times a second while it plays, and after what changes it.
  ///
  /// Every reader has a stream of its own, which ends with ``close()``. What it does not read
  /// in time is left out.
  public nonisolated var positions: AsyncStream<Position> { positionBoard.stream }
  /// What happens from now on.
  ///
  /// Every reader has a stream of its own, which ends with ``close()``. It keeps the last 256
  /// events that have not been read.
  public nonisolated var events: AsyncStream<Event> { eventBoard.stream }
  /// Where the sound goes.
  public nonisolated let sink: Sink
  /// What the sound goes through, in this order.
  public nonisolated let effects: [AudioEffect]

  /// What is known of the file that is open.
  public internal(set) var information: AudioInformation?
  /// What the player is doing.
  public internal(set) var state = State.empty
  /// Which way play goes, or was told to go.
  public internal(set) var direction = AudioEdit.Direction.forward
  /// Duration of what is heard / duration of the file; below 1 is faster.
  public internal(set) var factor = ScaleFactor.one
  /// What becomes of the pitch.
  public internal(set) var pitch = AudioEdit.Pitch.following
  /// How values between two frames are found while the factor is not 1.
  public internal(set) var interpolation = AudioEdit.Interpolation.sinc
  /// Which channels are heard.
  public internal(set) var channels = AudioEdit.Channels.all
  /// How loud it is, 0 … 1 as on a fader.
  public internal(set) var volume = 1.0
  /// What is done at the markers of the open file.
  public internal(set) var loop = Loop()

  nonisolated let positionBoard = Broadcast<Position>(capacity: 1, repeatsLast: true)
  nonisolated let eventBoard = Broadcast<Event>(capacity: 256)
  var queue = CommandQueue()
  var deck: Deck?
  var recorder: Recorder?
  /// The last that was told of.
  var place = Duration.zero
  /// The tasks that watch the open file's pipeline.
  var watchers: [Task<Void, Never>] = []

  /// Nothing is opened yet, not even the sound device.
  ///
  /// Effects stay for all files. Where there are some in the place ``AudioEffect/Place/before``, each
  /// file that is opened is first written through them, into a temporary file without a name, of
  /// 4 bytes a sample.
  public init(sink: Sink = .automatic, effects: [AudioEffect] = []) {
    self.sink = sink
    self.effects = effects
  }

  deinit {
    for watcher in watchers { watcher.cancel() }
    recorder?.close()
  }

  /// Lends the pipeline of the open file, a `GstElement *`, for what this class has no words
  /// for; nil where no file is open. Take a reference to keep it. It is made anew for each file.
  ///
  /// `body` runs in the player's own executor, whatever the isolation of the code around it; so it
  /// may capture what is `Sendable`.
  ///
  /// Its elements `revbuf` and `timescale` have these names. This is the only place where
  /// GStreamer shows through the library.
  public func withPipeline<Result: Sendable>(
    _ body: @Sendable (UnsafeMutableRawPointer?) throws -> Result
  ) rethrows -> Result {
    try body(deck.map { UnsafeMutableRawPointer($0.pipeline.pointer) })
  }
}
