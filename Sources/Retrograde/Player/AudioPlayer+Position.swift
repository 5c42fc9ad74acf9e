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
    /// The player plays.
    case playing
    /// Play has come to the end of the file, or backwards to its beginning.
    case ended
  }

  /// The playhead, as the listener hears it.
  ///
  /// ```swift
  /// for await position in player.positions {
  ///   print("\(position.time / .seconds(1)) s")
  ///   if position.state == .ended { break }
  /// }
  /// ```
  public struct Position: Sendable, Equatable {
    /// The place in the file, in its own time whatever the factor.
    public var time: Duration
    /// The present direction; in a ping-pong loop it changes on its own.
    public var direction: AudioEdit.Direction
    /// The factor that is set.
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
    /// Play has come to the end, or backwards to the beginning.
    case ended
    /// Play has stopped for good; another file can be opened.
    case failed(RetrogradeError)
    /// New tags of the file, which may change in radio-like files.
    case tags(AudioTags)
    /// A problem that does not stop playback; one sentence.
    case warning(String)
  }
}
