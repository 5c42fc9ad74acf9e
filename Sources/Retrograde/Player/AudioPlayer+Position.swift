// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioPlayer {
  /// The state of a player.
  ///
  /// ```swift
  /// if await player.state == .playing { await player.pause() } else { await player.play() }
  /// ```
  @nonexhaustive
  public enum State: String, Sendable, Codable {
    /// No file is open.
    case empty
    /// A file is open, and the player is paused.
    case paused
    /// The file is playing.
    case playing
    /// Playback has reached the end of the file. In reverse, that's its beginning.
    case ended
  }

  /// The playhead: the position of the audio that you hear.
  ///
  /// ```swift
  /// for await position in player.positions {
  ///   print("\(position.time / .seconds(1)) s")
  ///   if position.state == .ended { break }
  /// }
  /// ```
  public struct Position: Sendable, Equatable {
    /// The position in the file. It doesn't depend on the factor, so in a 10 s file it always goes
    /// from 0 s to 10 s.
    public var time: Duration
    /// The current direction. A ping-pong loop changes it, too.
    public var direction: Direction
    /// The current factor.
    public var factor: ScaleFactor
    /// The state of the player.
    public var state: State
  }

  /// An event during playback.
  ///
  /// ```swift
  /// for await event in player.events {
  ///   if case .failed(let error) = event { print(error.message) }
  /// }
  /// ```
  @nonexhaustive
  public enum Event: Sendable {
    /// Playback has reached the end. In reverse, that's the beginning.
    case ended
    /// Playback has stopped because of an error. You can open another file.
    case failed(RetrogradeError)
    /// New tags in the stream, e.g. in a recording of a radio stream.
    case tags(AudioTags)
    /// A problem that doesn't stop playback, in one sentence.
    case warning(String)
  }
}
