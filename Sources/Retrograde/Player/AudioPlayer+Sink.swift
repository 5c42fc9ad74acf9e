// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials

extension AudioPlayer {
  /// The destination of a player's sound.
  ///
  /// ```swift
  /// let nowhere = AudioPlayer(sink: .silent)
  /// let headphones = AudioPlayer(sink: .custom("alsasink device=hw:1"))
  /// ```
  @nonexhaustive
  public enum Sink: Sendable, Equatable {
    /// The sound device that GStreamer finds.
    case automatic
    /// Nowhere, but in real time.
    case silent
    /// A new WAV file, in real time: everything that is played, over all opened files. It has the
    /// sample format of the first file. An existing file is an error.
    case file(URL)
    /// Elements of GStreamer's, written as for gst-launch-1.0: "alsasink device=hw:1".
    case custom(String)

    /// The elements, as for gst-launch-1.0.
    var elements: String {
      switch self {
      case .automatic: "autoaudiosink name=device"
      case .silent: "fakesink sync=true"
      case .file:
        // no dithering: samples are rounded as in a rendered file
        "audioconvert dithering=none ! audioresample ! capsfilter name=recording-format "
          + "! appsink name=recorder"
      case .custom(let description): description
      }
    }
  }
}
