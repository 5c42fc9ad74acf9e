// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The sizes of a stretcher's buffers, windows and hops at one sample rate, in frames.
struct StretchSizes {
  let window: TimeStretchWindow
  /// The longest window.
  let longest: Int
  /// The window for a single voice.
  let voice: Int
  /// The window for dense transients.
  let dense: Int
  /// The window with which a spectral envelope is measured.
  let envelope: Int
  /// The sizes of the search for onsets.
  let onsets: OnsetSizes
  let rate: Int

  init(_ window: TimeStretchWindow, rate: Int) {
    self.window = window
    self.rate = rate
    // The power of two nearest to 85 ms, on a logarithmic scale.
    var nearest: Int64 = 256
    let square = 85 &* 85 &* Int64(rate) &* Int64(rate)
    while nearest &* nearest &* 2 &* 1_000_000 < square { nearest = nearest &* 2 }
    let music = Int(truncatingIfNeeded: nearest)
    switch window {
    case TIMESTRETCH_LOW_LATENCY: longest = max(music &>> 2, 128)
    case TIMESTRETCH_SPEECH: longest = music &>> 1
    default: longest = music
    }
    envelope = min(longest, music &>> 1)
    voice = window == TIMESTRETCH_AUTO ? music &>> 1 : longest
    dense = window == TIMESTRETCH_AUTO ? music &>> 3 : longest
    onsets = OnsetSizes(rate: rate, isLowLatency: window == TIMESTRETCH_LOW_LATENCY)
  }

  /// Number of bins in a spectrum.
  var bins: Int { longest &+ 1 }

  /// Number of frames in `milliseconds`.
  func frames(milliseconds: Int) -> Int {
    (rate &* milliseconds).dividedReportingOverflow(by: 1000).partialValue
  }

  /// Maximum distance from the position of a voice frame to the wanted reading position, in frames.
  var aside: Int { hasVoice ? frames(milliseconds: 8) : 0 }

  /// Maximum distance from the position of a voice frame to its actual reading position, in frames.
  /// To continue the voice, this may be half a period of 83 Hz away from the wanted position.
  var slack: Int { hasVoice ? aside &+ frames(milliseconds: 6) : 0 }

  /// Whether frames may follow a voice.
  var hasVoice: Bool { window == TIMESTRETCH_AUTO || window == TIMESTRETCH_SPEECH }

  /// Whether dense transients are searched for.
  var hasDense: Bool { dense < longest }

  /// Number of frames needed after the centre of a window.
  var ahead: Int { longest &>> 1 &+ max(slack, onsets.ahead) &+ 1 }

  /// Number of frames needed before the next position. Most of them are needed to measure a window
  /// that ends before an onset, because the onset may lie half a window before the position.
  var past: Int {
    longest &+ longest &>> 1 &+ frames(milliseconds: 20) &+ slack &+ onsets.past
  }
}
