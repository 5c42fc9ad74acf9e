// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Detects a single speaking or singing voice. It has one harmonic series, and its pitch keeps
/// changing, whereas instruments play notes of constant pitch. For a voice, the stretcher has a
/// shorter window, so that the changing partials stay in their bins.
struct VoiceDetector {
  private var pitch: VoicePitch
  private let sizes: StretchSizes
  private var evidence = VoiceEvidence()
  /// The centre of the next window to measure. It's always a multiple of `step`, so the result
  /// doesn't depend on the factor.
  private var next: Int64 = 0
  /// Unless we detect the voice again, it ends at this input frame.
  private var heldUntil: Int64 = .min

  init(_ sizes: StretchSizes, _ memory: inout ScratchMemory, computing: Bool) {
    self.sizes = sizes
    pitch = VoicePitch(sizes, &memory, computing: computing)
  }

  private var step: Int64 { Int64(truncatingIfNeeded: sizes.voice &>> 1) }

  mutating func start() {
    (evidence, next, heldUntil) = (VoiceEvidence(), 0, .min)
    pitch.start()
  }

  /// If its input has arrived, we do a part of the next measurement now, to spread the work over
  /// several calls. `isVoice` does the rest.
  mutating func prepare(_ history: StretchHistory) {
    guard sizes.hasVoice, sizes.window != TIMESTRETCH_SPEECH, next &+ step <= history.end else {
      return
    }
    pitch.measureGuide(around: next, history)
  }

  /// With the speech window, every frame is a voice. Otherwise, we must have detected one at
  /// `position`, or in the half second before it. Reads the input up to half of a voice window
  /// after `position`.
  mutating func isVoice(at position: Int64, _ history: StretchHistory) -> Bool {
    guard sizes.hasVoice else { return false }
    if sizes.window == TIMESTRETCH_SPEECH { return true }
    let last = position &+ step
    if next < last &- 2 &* step {
      // frames were skipped and not measured, so begin again
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

/// Evidence for a voice, from successive measurements of the pitch. Changes of 700 to 7,000 cents
/// per second add to it, and a constant pitch takes from it. It decays within half a second.
struct VoiceEvidence: BitwiseCopyable {
  private var last = PitchMeasure()
  private(set) var sum: Float = 0

  /// Above this sum, there's a voice. Each change of the pitch adds 1.
  private static let needed: Float = 2
  /// Each measurement of a constant pitch takes this much.
  private static let stillness: Float = 0.5
  private static let minHarmonics = 4
  /// Below this relative change per second (375 cents), the pitch is constant.
  private static let still: Float = 0.217
  /// A voice changes at least this much per second: 700 cents.
  private static let moving: Float = 0.408
  /// And at most this much: 7,000 cents.
  private static let jumping: Float = 4.24
  private static let memory: Float = 0.5

  var isVoice: Bool { sum > Self.needed }

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
