// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import TimeDSPCore

/// What becomes of formants.
struct TestFormants {
  var areKept = false
  var semitones = 0.0

  func pitch(_ isKept: Bool, _ semitones: Double) -> TimePitch {
    TimePitch(
      kept: isKept ? 1 : 0, semitones: semitones, window: TIMESTRETCH_MUSIC,
      formants: areKept ? TIMECHAIN_FORMANTS_KEEP : TIMECHAIN_FORMANTS_FOLLOW,
      formant_semitones: self.semitones)
  }
}

/// A C chain, fed like `TestScaler`. At 8 kHz its windows are short.
final class TestChain<S: TestSample> {
  let handle: OpaquePointer
  private let channels: Int
  private var settings: TimeChainSettings

  init(
    _: S.Type = S.self, channels: Int = 1, factor: Double = 1, keepsPitch: Bool = false,
    semitones: Double = 0, formants: TestFormants = TestFormants(), rate: Int = 8000
  ) throws {
    let audio = TimeDSPConfig(
      format: S.format, layout: TIMEDSP_INTERLEAVED, interpolation: TIMEDSP_SINC,
      channels: UInt32(channels), quality: 6)
    settings = TimeChainSettings(
      audio: audio, rate: UInt32(rate), factor: factor,
      pitch: formants.pitch(keepsPitch, semitones), moves: 0)
    var made: OpaquePointer?
    try check(timechain_new(&settings, &made))
    guard let made else { throw UnexpectedStatus(status: TIMEDSP_OK) }
    handle = made
    self.channels = channels
  }

  deinit { timechain_free(handle) }

  var state: TimeChainState {
    var state = TimeChainState()
    timechain_state(handle, &state)
    return state
  }

  func move(
    to factor: Double, keepsPitch: Bool, semitones: Double = 0,
    formants: TestFormants = TestFormants(), within frames: Int
  ) throws {
    var pitch = formants.pitch(keepsPitch, semitones)
    var moved: UInt64 = 0
    try check(timechain_move(handle, factor, &pitch, UInt64(frames), &moved))
  }

  /// Puts all of `input` in, in pieces of `piece` frames, with the room that it asks for.
  func process(_ input: [S], piece: Int = .max) throws -> [S] {
    var rest = input[...]
    var all: [S] = []
    var progress = TimeChainProgress(frames_used: 0, frames_made: 0, more: 1)
    while !rest.isEmpty || progress.more != 0 {
      let given = Array(rest.prefix(piece == .max ? .max : piece * channels))
      let room = timechain_room(handle, given.count / channels)
      let source = Planes(interleaved: given, planes: 1)
      let target = Planes<S>(samples: room * channels, planes: 1)
      try check(
        timechain_process(
          handle, source.readable, given.count / channels, target.writable, room, &progress))
      all += target.interleaved(samples: progress.frames_made * channels)
      rest = rest.dropFirst(progress.frames_used * channels)
    }
    return all
  }

  /// Ends the input; returns what was waiting, in pieces of at most `most` frames.
  func drain(most: Int = .max) throws -> [S] {
    var all: [S] = []
    var progress = TimeChainProgress()
    repeat {
      let room = min(timechain_room(handle, 0), most)
      let target = Planes<S>(samples: room * channels, planes: 1)
      try check(timechain_drain(handle, target.writable, room, &progress))
      all += target.interleaved(samples: progress.frames_made * channels)
    } while progress.more != 0
    return all
  }
}
