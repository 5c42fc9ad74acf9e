// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Detects a single speaking or singing voice. A voice has one harmonic series, and its pitch keeps
/// changing, whereas instruments play notes of constant pitch. The stretcher uses a shorter window
/// for a voice, so that the changing partials stay within their bins.
struct VoiceDetector {
  private var pitch: VoicePitch
  private let sizes: StretchSizes
  private var evidence = VoiceEvidence()
  /// The centre of the window that is measured next. It is always a multiple of `step`, so that the
  /// result does not depend on the factor.
  private var next: Int64 = 0
  /// The input frame at which the voice is assumed to end, unless it is detected again.
  private var heldUntil: Int64 = .min

  init(_ sizes: StretchSizes, _ memory: inout ScratchMemory, computing: Bool) {
    self.sizes = sizes
    pitch = VoicePitch(sizes, &memory, computing: computing)
  }

  /// Number of input frames between two measurements.
  private var step: Int64 { Int64(truncatingIfNeeded: sizes.voice &>> 1) }

  mutating func start() {
    (evidence, next, heldUntil) = (VoiceEvidence(), 0, .min)
    pitch.start()
  }

  /// Does a part of the next measurement in advance, if its input has arrived, to spread the work
  /// over several calls. `isVoice` completes the measurement.
  mutating func prepare(_ history: StretchHistory) {
    guard sizes.hasVoice, sizes.window != TIMESTRETCH_SPEECH, next &+ step <= history.end else {
      return
    }
    pitch.measureGuide(around: next, history)
  }

  /// Whether the frame at `position` is treated as a voice. With the speech window, every frame is.
  /// Otherwise, a voice must have been detected at `position`, or in the half second before it.
  /// Reads the input up to half of a voice window after `position`.
  mutating func isVoice(at position: Int64, _ history: StretchHistory) -> Bool {
    guard sizes.hasVoice else { return false }
    if sizes.window == TIMESTRETCH_SPEECH { return true }
    let last = position &+ step
    if next < last &- 2 &* step {
      // frames have been skipped without being measured, so begin again
      next = last & ~(step &- 1)
      evidence = VoiceEvidence()
    }
    while next <= last {
      let duration = Float(step) / Float(sizes.rate)
      evidence.add(pitch.measure(around: next, history), after: duration)
      if evidence.isVoice {
        heldUntil = next &+ Int64(truncatingIfNeeded: sizes.frames(milliseconds: 500))
      }
      next &+= step
    }
    return position < heldUntil
  }
}

/// The evidence for a voice from successive measurements of the pitch. Changes of 700 to 7,000
/// cents per second increase the evidence, and a constant pitch decreases it. The evidence decays
/// within half a second.
struct VoiceEvidence: BitwiseCopyable {
  private var last = PitchMeasure()
  private(set) var sum: Float = 0

  /// The sum above which there is a voice. Each change of the pitch adds 1.
  private static let needed: Float = 2
  /// The amount that each measurement of a constant pitch subtracts.
  private static let stillness: Float = 0.5
  private static let minHarmonics = 4
  /// Below this relative change per second (375 cents), the pitch counts as constant.
  private static let still: Float = 0.217
  /// Minimum relative change of a voice per second: 700 cents.
  private static let moving: Float = 0.408
  /// Maximum relative change of a voice per second: 7,000 cents.
  private static let jumping: Float = 4.24
  private static let memory: Float = 0.5

  var isVoice: Bool { sum > Self.needed }

  /// Adds a measurement of the pitch made `seconds` after the last measurement.
  mutating func add(_ measure: PitchMeasure, after seconds: Float) {
    sum *= max(1 - seconds / Self.memory, 0)
    let (old, new) = (last, measure)
    last = new
    guard old.frequency > 0, new.frequency > 0 else { return }
    let ratio = max(new.frequency / old.frequency, old.frequency / new.frequency)
    let change = (ratio - 1) / seconds
    if change < Self.still {
      sum = max(sum - Self.stillness, 0)
    } else if change > Self.moving, change < Self.jumping,
      min(old.harmonics, new.harmonics) >= Self.minHarmonics
    {
      sum += 1
    }
  }
}
