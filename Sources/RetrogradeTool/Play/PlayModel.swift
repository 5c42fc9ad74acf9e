// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// The state that the screen shows and that keys change. It does not depend on the terminal or on
/// the player.
struct PlayModel: Equatable, Sendable {
  enum Transport: Sendable {
    case opening, playing, paused
    /// Playback has reached the end of the file, or in reverse the beginning.
    case ended
    case failed
  }

  /// One file of the list, with the information known so far.
  struct Track: Equatable, Sendable {
    var name = ""
    var title: String?
    var artist: String?
    /// A short description of the type and format of the file.
    var facts = ""
    /// Duration of the file. Zero until it is known.
    var duration = Duration.zero
    /// The largest magnitude of a sample in each of several equal parts of the file.
    var peaks: [Float] = []
  }

  /// Number of files in the list. `index` is the index of the file that is playing.
  let count: Int
  var index = 0
  var track = Track()
  var transport = Transport.opening
  var position = Duration.zero
  var direction = AudioEdit.Direction.forward
  /// The speed that the keys j and l set, 0.5 … 8, with the sign of `direction`.
  var shuttle = 1.0
  /// Whether k was pressed, so that j and l begin slowly.
  var isStopped = false
  var factor = ScaleFactor.one
  var pitch = AudioEdit.Pitch.following
  var interpolation = AudioEdit.Interpolation.sinc
  var channels = AudioEdit.Channels.all
  /// The volume in percent, as on a fader.
  var volume = 100
  var loopMode = AudioPlayer.Loop.Mode.none
  var markerStart: Duration?
  var markerStop: Duration?
  /// A sentence about the last event.
  var message = ""
  var isHelpShown = false

  init(count: Int) { self.count = count }

  /// How fast it plays in all.
  var speed: Double { shuttle * factor.speed }

  var loop: AudioPlayer.Loop {
    AudioPlayer.Loop(loopMode, from: markerStart ?? .zero, to: markerStop)
  }

  /// The range between the markers. The whole file without markers.
  var region: Range<Duration> {
    let stop = markerStop ?? track.duration
    let start = markerStart ?? .zero
    return start..<max(start, stop)
  }

  /// The edit for a new file with the current settings. It contains the region between the markers,
  /// if there are any.
  var edit: AudioEdit {
    let hasMarkers = markerStart != nil || markerStop != nil
    return AudioEdit(
      region: hasMarkers ? region : nil, direction: direction, factor: factor,
      pitch: pitch, interpolation: interpolation, channels: channels)
  }
}
