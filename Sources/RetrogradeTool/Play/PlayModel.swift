// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// The state that you see on the screen and change with keys. It doesn't depend on the terminal or
/// on the player.
struct PlayModel: Equatable, Sendable {
  enum Transport: Sendable {
    case opening, playing, paused
    /// Playback has reached the end of the file. In reverse, that's its beginning.
    case ended
    case failed
  }

  /// A file in the list, and what we know about it so far.
  struct Track: Equatable, Sendable {
    var name = ""
    var tags = AudioTags()
    /// A short description of the type and format of the file.
    var facts = ""
    var duration = Duration.zero
    /// The largest magnitude of a sample in each of several equal parts of the file.
    var peaks: [Float] = []
  }

  /// The number of files in the list. `index` is the one that's playing.
  let count: Int
  var index = 0
  var track = Track()
  var transport = Transport.opening
  var position = Duration.zero
  var direction = Direction.forward
  /// The speed set with j and l, from 0.5 to 8. Its sign comes from `direction`.
  var shuttle = 1.0
  var isStopped = false
  /// How far to jump back at a pause.
  var backstep = Duration.zero
  var factor = ScaleFactor.one
  /// The factor of each pass of the loop, if they differ. `factor` is then the current one.
  var ladder: [ScaleFactor] = []
  var pitch = Pitch.followsSpeed
  /// You hear the original speed and pitch instead, to compare.
  var isOriginal = false
  var interpolation: Interpolation = .sinc
  var channels = AudioEdit.Channels.all
  /// In percent, as on a fader.
  var volume = 100
  var loopMode = Loop.Mode.none
  var markerStart: Duration?
  var markerStop: Duration?
  var message = ""
  var isHelpShown = false

  init(count: Int) { self.count = count }

  var speed: Double { shuttle * heard.factor.speed }

  private var heard: (factor: ScaleFactor, pitch: Pitch) {
    isOriginal ? (.one, .followsSpeed) : (factor, pitch)
  }

  var loop: Loop {
    Loop(loopMode, from: markerStart ?? .zero, to: markerStop)
  }

  var settings: AudioPlayer.Settings {
    var settings = AudioPlayer.Settings()
    (settings.factor, settings.pitch) = heard
    settings.interpolation = interpolation
    (settings.channels, settings.volume, settings.loop) = (channels, Double(volume) / 100, loop)
    settings.ladder = isOriginal ? [] : ladder
    return settings
  }

  var hasMarkers: Bool { markerStart != nil || markerStop != nil }

  /// The whole file if there are no markers.
  var region: Range<Duration> {
    let stop = markerStop ?? track.duration
    let start = markerStart ?? .zero
    return start..<max(start, stop)
  }

  /// The edit for a new file with the current settings. If there are markers, it covers the region
  /// between them.
  var edit: AudioEdit {
    var edit = AudioEdit(
      region: hasMarkers ? region : nil, direction: direction, factor: heard.factor,
      pitch: heard.pitch, channels: channels)
    edit.interpolation = interpolation
    return edit
  }
}

extension PlayModel {
  /// Shows another file with the playhead at its beginning, or at its end in reverse.
  mutating func begin(_ index: Int, _ name: String, _ information: AudioInformation) {
    self.index = index
    let facts = "\(information.codec), \(information.rate) Hz, \(information.channelsInWords)"
    track = Track(
      name: name, tags: information.tags, facts: facts, duration: information.duration ?? .zero)
    position = direction == .forward ? .zero : track.duration
    (transport, isStopped) = (.playing, false)
  }

  /// Markers only apply to one file.
  mutating func forgetLoop() {
    (loopMode, markerStart, markerStop, ladder) = (.none, nil, nil, [])
  }
}
