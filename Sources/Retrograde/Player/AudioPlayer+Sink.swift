// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials

extension AudioPlayer {
  /// Where a player's sound goes.
  ///
  /// ```swift
  /// let nowhere = AudioPlayer(sink: .silent)
  /// let headphones = AudioPlayer(sink: .custom("alsasink device=hw:1"))
  /// ```
  @nonexhaustive
  public enum Sink: Sendable, Equatable {
    /// GStreamer's default sound device.
    case automatic
    /// Plays in real time, but outputs nothing.
    case silent
    /// A new WAV file that records everything you play in real time, from all files that you open.
    /// It has the format of the first one. Fails if the file exists.
    case file(URL)
    /// GStreamer elements, written as for gst-launch-1.0: "alsasink device=hw:1".
    case custom(String)

    var elements: String {
      switch self {
      case .automatic: "autoaudiosink"
      case .silent: "fakesink sync=true"
      case .file: ""  // see `Recorder`
      case .custom(let description): description
      }
    }
  }
}
