// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension PlayModel {
  typealias Marker = WritableKeyPath<PlayModel, Duration?>

  /// Sets a marker to the playhead, or removes it if the playhead is at either end of the file. Also
  /// removes the other marker if it's on the wrong side.
  mutating func set(_ marker: Marker, over other: Marker) -> [PlayAction] {
    guard track.duration > .zero else { return [] }
    self[keyPath: marker] = position > .zero && position < track.duration ? position : nil
    if let start = markerStart, let stop = markerStop, stop <= start { self[keyPath: other] = nil }
    return followMarkers()
  }

  /// 10 ms
  static let nudge = Duration.milliseconds(10)

  /// Moves a marker, unless that would leave nothing between the two. The current pass keeps
  /// playing unless the playhead is now outside the loop.
  mutating func nudge(_ marker: Marker, by step: Duration) -> [PlayAction] {
    var moved = self
    guard let time = moved[keyPath: marker].map({ $0 + step }), .zero < time, time < track.duration
    else { return [] }
    moved[keyPath: marker] = time
    guard !moved.region.isEmpty else { return [] }
    self = moved
    return [.apply(settings)] + (loopMode == .none || isInLoop ? [] : enterLoop())
  }

  mutating func clearMarkers() -> [PlayAction] {
    (markerStart, markerStop, loopMode) = (nil, nil, .none)
    return followMarkers()
  }

  mutating func cycleLoop() -> [PlayAction] {
    let before = loopMode
    loopMode = loopMode.next
    guard before == .none, !isInLoop else { return [.apply(settings)] }
    return [.apply(settings)] + enterLoop()
  }

  /// The second marker makes a loop, even from the beginning of the file, where the first isn't
  /// set. The player only picks up a changed marker when the loop restarts or after a seek, so we
  /// also seek to the playhead, or into the loop.
  private mutating func followMarkers() -> [PlayAction] {
    if markerStop != nil, loopMode == .none { loopMode = .repeat }
    guard loopMode != .none else { return [.apply(settings)] }
    return [.apply(settings)] + (isInLoop ? [.seek(position)] : enterLoop())
  }

  /// The playhead is between the markers, and hasn't reached the one where the player jumps or
  /// turns round.
  var isInLoop: Bool {
    direction == .forward
      ? region.contains(position)
      : region.lowerBound < position && position <= region.upperBound
  }

  private mutating func enterLoop() -> [PlayAction] {
    position = direction == .forward ? region.lowerBound : region.upperBound
    guard transport == .ended else { return [.seek(position)] }
    transport = .playing
    return [.seek(position), .play]
  }
}
