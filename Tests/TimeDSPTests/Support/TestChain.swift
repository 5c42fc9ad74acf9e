// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

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

/// A chain that is used like `TestScaler`. The sample rate is 8 kHz, so that windows have few
/// frames.
final class TestChain<S: TestSample> {
  private var chain: Chain
  private let channels: Int

  init(
    _: S.Type = S.self, channels: Int = 1, factor: Double = 1, keepsPitch: Bool = false,
    semitones: Double = 0, formants: TestFormants = TestFormants(), rate: Int = 8000
  ) throws {
    let audio = TimeDSPConfig(
      format: S.format, layout: TIMEDSP_INTERLEAVED, interpolation: TIMEDSP_SINC,
      channels: UInt32(channels), quality: 6)
    let settings = ChainSettings(
      audio: audio, rate: UInt32(rate), factor: factor,
      pitch: formants.pitch(keepsPitch, semitones), followsCurve: false)
    chain = try Chain.made(for: settings)
    self.channels = channels
  }

  /// The input frame at which a change of settings would begin now, and the input frame at which
  /// the last change began.
  var nextMoveStart: Double { chain.rampPosition.input }
  var lastMoveStart: Double { chain.lastRamp.input }

  var factor: Double { chain.settings.factor }
  var latency: Int { chain.latency }
  var received: Int64 { chain.received }
  var framesBeforeGap: Int { chain.framesBeforeGap }

  func noteSound() { chain.noteSound() }

  func pass(_ input: Planes<S>, frames: Int) throws {
    try chain.pass(checked: input.readable, frames: frames)
  }

  func ramp(
    to factor: Double, keepsPitch: Bool, semitones: Double = 0,
    formants: TestFormants = TestFormants(), within frames: Int
  ) throws {
    _ = try chain.ramp(
      to: factor, pitch: formants.pitch(keepsPitch, semitones), within: UInt64(frames))
  }

  /// Processes all of `input` in blocks of `piece` frames, with as much room for the output as the
  /// chain requires.
  func process(_ input: [S], piece: Int = .max) throws -> [S] {
    var rest = input[...]
    var all: [S] = []
    var progress = ChainProgress(hasMore: true)
    while !rest.isEmpty || progress.hasMore {
      let given = Array(rest.prefix(piece == .max ? .max : piece * channels))
      let room = chain.room(for: Int64(given.count / channels))
      let source = Planes(interleaved: given, planes: 1)
      let target = Planes<S>(samples: room * channels, planes: 1)
      progress = try chain.process(
        source.readable, frames: given.count / channels, into: target.writable, capacity: room)
      all += target.interleaved(samples: progress.made * channels)
      rest = rest.dropFirst(progress.used * channels)
    }
    return all
  }

  /// Ends the input. Returns the remaining output, which is read in blocks of at most `most`
  /// frames.
  func drain(most: Int = .max) throws -> [S] {
    var all: [S] = []
    var progress = ChainProgress()
    repeat {
      let room = min(chain.room(for: 0), most)
      let target = Planes<S>(samples: room * channels, planes: 1)
      progress = try chain.drain(into: target.writable, capacity: room)
      all += target.interleaved(samples: progress.made * channels)
    } while progress.hasMore
    return all
  }
}
