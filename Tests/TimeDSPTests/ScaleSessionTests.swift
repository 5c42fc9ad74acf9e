// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// Plays a stream again and again. Each time, another thread makes one call during one of the
/// actions.
@Suite struct ScaleSessionTests {
  /// The segment is sent downstream before the chain is made, so settings may change meanwhile.
  @Test func `A factor that is set while the segment is sent applies to all frames`() throws {
    let owner = try ScaleOwner()
    owner.meanwhile = { owner, _ in
      if owner.kinds.last == TIMESCALE_SEND_SEGMENT, owner.settings.factor == 1 {
        owner.settings.factor = 2
      }
    }
    owner.begin()
    owner.feed(1000)
    owner.end()
    #expect(owner.made.count == 2000)
  }

  private enum Input: CaseIterable {
    case configure, rate, seek, refusedSeek, flush
  }

  /// Plays a stream with a change of the factor, a gap and an end. `meanwhile` is called during
  /// each unfinished action.
  private func play(
    _ pitch: TimePitch, _ meanwhile: @escaping (ScaleOwner, Int) -> Void
  ) throws -> ScaleOwner {
    let owner = try ScaleOwner(factor: 1.25, pitch: pitch)
    owner.meanwhile = meanwhile
    owner.begin()
    owner.feed(1000)
    owner.settings.factor = 0.8
    owner.feed(1000)
    owner.sendGap(100_000_000)
    owner.feed(1000, isDiscont: true)
    owner.end()
    return owner
  }

  private func give(_ input: Input, to owner: ScaleOwner) {
    switch input {
    case .configure: owner.settings.factor = 1.7
    case .rate: _ = owner.session.changeRate(1.5)
    case .seek, .refusedSeek:
      var seek = TimeScaleSeek(start_ns: 5000, stop_ns: -1, sets_start: 1, sets_stop: 0)
      owner.session.seek(&seek)
      if input == .refusedSeek { owner.session.refuseSeek() }
    case .flush: owner.session.flush(everything: false)
    }
  }

  @Test(arguments: [false, true])
  func `No input breaks a stream, whenever it comes`(isKept: Bool) throws {
    var pitch = TimePitch.ofTape
    pitch.kept = isKept ? 1 : 0
    pitch.window = TIMESTRETCH_LOW_LATENCY
    var count = 0
    let plain = try play(pitch) { _, _ in count += 1 }
    for input in Input.allCases {
      for moment in 0..<count {
        let owner = try play(pitch) { owner, action in
          if action == moment { give(input, to: owner) }
        }
        #expect(!owner.kinds.contains { $0 == TIMESCALE_FAIL }, "\(input) \(moment)")
        for (last, next) in zip(owner.stamps, owner.stamps.dropFirst()) where next.discont == 0 {
          #expect(next.pts_ns == last.pts_ns + last.duration_ns, "\(input) \(moment)")
        }
        // a seek has no effect before its segment
        if input == .seek || input == .refusedSeek { #expect(owner.made == plain.made) }
        #expect(owner.isReady)
      }
    }
  }
}
