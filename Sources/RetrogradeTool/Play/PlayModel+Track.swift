// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension PlayModel {
  /// Shows another file with the playhead at its beginning, or at its end in reverse.
  mutating func begin(_ index: Int, _ name: String, _ information: AudioInformation) {
    self.index = index
    let facts = "\(information.codec), \(information.rate) Hz, \(information.channelsInWords)"
    track = Track(name: name, facts: facts, duration: information.duration ?? .zero)
    track.show(information.tags)
    position = direction == .forward ? .zero : track.duration
    (transport, isStopped) = (.playing, false)
  }

  /// Markers only apply to one file.
  mutating func forgetLoop() {
    (loopMode, markerStart, markerStop, ladder) = (.none, nil, nil, [])
  }

}

extension PlayModel.Track {
  mutating func show(_ tags: AudioTags) {
    title = tags.title
    artist = tags.artist
  }
}
