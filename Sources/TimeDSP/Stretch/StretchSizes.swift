// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The sizes of a stretcher's windows and buffers at one sample rate, in frames.
struct StretchSizes {
  let window: TimeStretchWindow
  /// Length of the longest window, which is used unless a shorter one applies.
  let longest: Int
  /// Length of the window for a voice (`VoiceDetector`).
  let voice: Int
  /// Length of the window for dense transients (`DenseTransients`).
  let dense: Int
  /// Length of the window with which the spectral envelope is measured, to move formants.
  let envelope: Int
  /// The sizes of the onset search.
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

  /// Number of bins in a spectrum of the longest window. The transform has twice as many points as
  /// the window.
  var bins: Int { longest &+ 1 }

  func frames(milliseconds: Int) -> Int {
    (rate &* milliseconds).dividedReportingOverflow(by: 1000).partialValue
  }

  /// The maximum distance from the position that the time map gives an analysis frame of a voice to
  /// the position at which `Stretcher.readingPosition` asks to read the frame.
  var aside: Int { hasVoice ? frames(milliseconds: 8) : 0 }

  /// Maximum distance between the position that the time map gives an analysis frame of a voice and
  /// the position at which the frame is actually read. To continue the voice, the frame may be read
  /// up to 6 ms, half a period of 83 Hz, away from the position that `Stretcher.readingPosition`
  /// asks for.
  var slack: Int { hasVoice ? aside &+ frames(milliseconds: 6) : 0 }

  /// `true` for the windows auto and speech, with which frames may be treated as a voice.
  var hasVoice: Bool { window == TIMESTRETCH_AUTO || window == TIMESTRETCH_SPEECH }

  /// `true` for the window auto, with which dense transients are detected.
  var hasDense: Bool { dense < longest }

  /// Number of input frames needed after the centre of an analysis frame.
  var ahead: Int { longest &>> 1 &+ max(slack, onsets.ahead) &+ 1 }

  /// Number of input frames needed after the centre of an analysis frame at `speed`. In very slow or
  /// very fast sound, the copy of a transient (`RigidTransient`) is read later than its frame.
  func ahead(at speed: Double) -> Int64 {
    let half = Double(longest &>> 1)
    guard onsets.isUsed else { return Int64(truncatingIfNeeded: ahead) }
    let copy = rounded(half * (2 - min(speed, 1 / speed))) &+ 2
    return max(Int64(truncatingIfNeeded: ahead), copy)
  }

  /// Number of input frames needed before the centre of the next analysis frame. Most of them are
  /// needed for the window before an onset (`RigidTransient`), because the onset may lie half a
  /// window before the centre.
  var past: Int {
    longest &+ longest &>> 1 &+ frames(milliseconds: 20) &+ slack &+ onsets.past
  }

  /// Number of the last input frames that are always kept.
  var kept: Int { past &+ max(ahead, longest &+ 2) &+ longest }
}
