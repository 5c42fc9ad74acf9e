// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension PlayModel {
  /// Shows another file with the playhead at its beginning, or at its end in reverse.
  mutating func begin(_ index: Int, _ name: String, _ information: AudioInformation) {
    self.index = index
    track = Track(
      name: name, facts: Self.facts(information), duration: information.duration ?? .zero)
    track.show(information.tags)
    position = direction == .forward ? .zero : track.duration
    (transport, isStopped) = (.playing, false)
  }

  /// Markers only apply to one file.
  mutating func forgetLoop() {
    (loopMode, markerStart, markerStop, ladder) = (.none, nil, nil, [])
  }

  private static func facts(_ information: AudioInformation) -> String {
    let channels =
      switch information.channels {
      case 1: "mono"
      case 2: "stereo"
      case let count: "\(count) channels"
      }
    return "\(information.codec), \(information.rate) Hz, \(channels)"
  }
}

extension PlayModel.Track {
  mutating func show(_ tags: AudioTags) {
    title = tags.title
    artist = tags.artist
  }
}
