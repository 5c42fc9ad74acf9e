// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

// The markers, and the loop between them.

extension PlayModel {
  /// Sets the first marker to the playhead or, if the playhead is at an end of the file, removes
  /// that marker. A second marker that is not after the first marker is removed.
  mutating func setStart() -> [PlayAction] {
    guard track.duration > .zero else { return [] }
    markerStart = position > .zero && position < track.duration ? position : nil
    if let start = markerStart, let stop = markerStop, stop <= start { markerStop = nil }
    return followMarkers()
  }

  mutating func setStop() -> [PlayAction] {
    guard track.duration > .zero else { return [] }
    markerStop = position > .zero && position < track.duration ? position : nil
    if let start = markerStart, let stop = markerStop, stop <= start { markerStart = nil }
    return followMarkers()
  }

  mutating func clearMarkers() -> [PlayAction] {
    markerStart = nil
    markerStop = nil
    return followMarkers()
  }

  mutating func cycleLoop() -> [PlayAction] {
    let before = loopMode
    loopMode = loopMode.next
    guard before == .none, !isInLoop else { return [.loop(loop)] }
    return [.loop(loop)] + enterLoop()
  }

  /// Returns the actions that apply changed markers. The player uses a changed marker only when the
  /// loop starts again, or at a seek. Therefore the actions include a seek to the playhead, or into
  /// the loop.
  private mutating func followMarkers() -> [PlayAction] {
    guard loopMode != .none else { return [.loop(loop)] }
    return [.loop(loop)] + (isInLoop ? [.seek(position)] : enterLoop())
  }

  /// Whether the playhead is between the markers, and has not reached the marker at which the
  /// player jumps or changes direction.
  private var isInLoop: Bool {
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
