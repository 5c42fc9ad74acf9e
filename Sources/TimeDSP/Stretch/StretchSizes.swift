// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How long a stretcher's windows and buffers are at one sample rate, in frames.
struct StretchSizes {
  let window: TimeStretchWindow
  /// The longest window, unless a shorter one applies.
  let longest: Int
  let voice: Int
  let dense: Int
  /// The window for spectral envelopes, to move formants.
  let envelope: Int
  let onsets: OnsetSizes
  let rate: Int

  init(_ window: TimeStretchWindow, rate: Int) {
    self.window = window
    self.rate = rate
    // the power of two nearest to 85 ms, on a logarithmic scale
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

  /// In a spectrum of the longest window. The transform has twice as many points as the window.
  var bins: Int { longest &+ 1 }

  func frames(milliseconds: Int) -> Int {
    (rate &* milliseconds).dividedReportingOverflow(by: 1000).partialValue
  }

  /// At most this far from where the time map puts an analysis frame of a voice,
  /// `Stretcher.readingPosition` may ask to read it.
  var aside: Int { hasVoice ? frames(milliseconds: 8) : 0 }

  /// At most this far from where the time map puts an analysis frame of a voice, we read it. To
  /// continue the voice, that may be up to 6 ms, half a period of 83 Hz, from where
  /// `Stretcher.readingPosition` asks to read it.
  var slack: Int { hasVoice ? aside &+ frames(milliseconds: 6) : 0 }

  /// With the windows auto and speech, we may treat frames as a voice.
  var hasVoice: Bool { window == TIMESTRETCH_AUTO || window == TIMESTRETCH_SPEECH }

  /// With the window auto, we detect dense transients.
  var hasDense: Bool { dense < longest }

  /// Input frames that we need after the centre of an analysis frame.
  var ahead: Int { longest &>> 1 &+ max(slack, onsets.ahead) &+ 1 }

  /// The same at `speed`. In very slow or very fast sound, we read the copy of a transient
  /// (`RigidTransient`) later than its frame.
  func ahead(at speed: Double) -> Int64 {
    let half = Double(longest &>> 1)
    guard onsets.isUsed else { return Int64(truncatingIfNeeded: ahead) }
    let copy = rounded(half * (2 - min(speed, 1 / speed))) &+ 2
    return max(Int64(truncatingIfNeeded: ahead), copy)
  }

  /// Input frames that we need before the centre of the next analysis frame. Most are for the
  /// window before an onset (`RigidTransient`), which may be half a window before the centre.
  var past: Int {
    longest &+ longest &>> 1 &+ frames(milliseconds: 20) &+ slack &+ onsets.past
  }

  var kept: Int { past &+ max(ahead, longest &+ 2) &+ longest }
}
