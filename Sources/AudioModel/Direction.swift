// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The direction of playback.
///
/// ```swift
/// await player.setDirection(player.direction.opposite)
/// ```
public enum Direction: String, Sendable, CaseIterable {
  /// From the beginning to the end.
  case forward
  /// From the end to the beginning.
  case reverse

  /// The other direction.
  public var opposite: Direction { self == .forward ? .reverse : .forward }
}
