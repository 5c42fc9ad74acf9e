// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The part of a file that a player repeats.
///
/// ```swift
/// var settings = await player.settings
/// settings.loop = Loop(.pingPong, from: .seconds(1), to: .seconds(3))
/// await player.apply(settings)
/// ```
public struct Loop: Sendable, Hashable {
  /// What the player does at a loop marker.
  ///
  /// ```swift
  /// settings.loop.mode = settings.loop.mode == .none ? .repeat : .none
  /// await player.apply(settings)
  /// ```
  @nonexhaustive
  public enum Mode: String, Sendable, CaseIterable {
    /// Continues to the end of the file.
    case none
    /// Jumps to the other marker.
    case `repeat`
    /// Changes direction at each marker.
    case pingPong = "ping-pong"
  }

  /// What the player does at the markers.
  public var mode: Mode
  /// The first marker, a time in the file.
  public var start: Duration
  /// The second marker, later than the first. If it's nil, that's the end of the file.
  public var stop: Duration?

  /// Creates a loop. By default, it covers the whole file and doesn't jump.
  public init(_ mode: Mode = .none, from start: Duration = .zero, to stop: Duration? = nil) {
    (self.mode, self.start, self.stop) = (mode, start, stop)
  }
}
