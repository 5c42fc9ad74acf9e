// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

/// Plays audio files, either way and at any speed.
///
/// ```swift
/// let player = Player()
/// try await player.open(AudioFile(URL(fileURLWithPath: "song.mp3")))
/// await player.play()
/// await player.turn(.reverse)
/// for await position in player.positions { print(position.time) }
/// ```
///
/// Everything takes effect while it plays: the next frame after n is n − 1 when it
/// turns around, and a new factor bends the pitch as on a tape. What is set stays for
/// the next file; only the loop belongs to the one that is open.
public actor Player {
  /// Where play is: twenty times a second while it plays, and after what changes it.
  /// For one reader; what is not read in time is left out.
  public nonisolated let positions: AsyncStream<Position>
  /// What happens. For one reader.
  public nonisolated let events: AsyncStream<Event>
  /// Where the sound goes.
  public nonisolated let sink: Sink

  /// What is known of the file that is open.
  public internal(set) var information: AudioInformation?
  /// What the player is doing.
  public internal(set) var state = State.empty
  /// Which way play goes, or was told to go.
  public internal(set) var direction = Direction.forward
  /// Duration of what is heard / duration of the file, 0.01 … 100; below 1 is faster and higher.
  public internal(set) var factor = 1.0
  /// How values between two frames are found while the factor is not 1.
  public internal(set) var interpolation = Interpolation.sinc
  /// Which channels are heard.
  public internal(set) var channels = ChannelSelection.all
  /// What is done at the markers of the open file.
  public internal(set) var loop = Loop()

  nonisolated let positionsContinuation: AsyncStream<Position>.Continuation
  nonisolated let eventsContinuation: AsyncStream<Event>.Continuation
  var deck: Deck?
  var recorder: Recorder?
  /// The last that was told of.
  var place = Duration.zero
  /// The tasks that watch the open file's pipeline.
  var watchers: [Task<Void, Never>] = []

  /// Nothing is opened yet, not even the sound device.
  public init(sink: Sink = .automatic) {
    self.sink = sink
    (positions, positionsContinuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    (events, eventsContinuation) = AsyncStream.makeStream()
  }

  deinit {
    for watcher in watchers { watcher.cancel() }
    recorder?.close()
    positionsContinuation.finish()
    eventsContinuation.finish()
  }

  /// Lends the pipeline of the open file, a `GstElement *`, for what this class has no words
  /// for; nil where no file is open. Take a reference to keep it. It is made anew for each file.
  ///
  /// Its elements `revbuf` and `timescale` have these names. This is the only place where
  /// GStreamer shows through the library.
  public func withPipeline<Result: Sendable>(
    _ body: (UnsafeMutableRawPointer?) throws -> Result
  ) rethrows -> Result {
    try body(deck.map { UnsafeMutableRawPointer($0.pipeline.pointer) })
  }
}
