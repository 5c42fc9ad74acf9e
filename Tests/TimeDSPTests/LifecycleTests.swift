// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

@Suite struct LifecycleTests {
  @Test func nothingComesAfterTheEnd() throws {
    let scaler = try TestScaler<Int16>(interpolation: TIMEDSP_LINEAR, factor: 3)
    #expect(try scaler.run([5, 6]).count == 6)
    #expect(try scaler.finish(capacity: 10) == [])
    #expect(try scaler.maxOutput(0) == 0)
  }

  /// Resets, changes of the factor and ends occur between the blocks of a stream. The output never
  /// exceeds the announced bound.
  @Test(arguments: everyInterpolation)
  func callsMayComeInAnyOrder(interpolation: TimeDSPInterpolation) throws {
    var generator = SplitMix(seed: 13)
    for _ in 0..<40 {
      var scaler = try TestScaler<Float>(
        channels: 2, layout: TIMEDSP_PLANAR, interpolation: interpolation, factor: 1)
      var hasEnded = false
      for _ in 0..<60 {
        let frames = Int.random(in: 0...150, using: &generator)
        let room = Int.random(in: 0...200, using: &generator)
        let bound = try scaler.maxOutput(frames)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0:
          scaler = try TestScaler<Float>(
            channels: 2, layout: TIMEDSP_PLANAR, interpolation: interpolation, factor: 1)
          hasEnded = false
        case 1...4:
          let factor = [0.01, 100, 1, 0.3, .pi].randomElement(using: &generator)!
          try scaler.set(factor)
        case 5, 6:
          let factor = [0.01, 100, 1, 0.3, .pi].randomElement(using: &generator)!
          try scaler.ramp(to: factor, within: .random(in: 0...300, using: &generator))
        case 7:
          #expect(try scaler.finish(capacity: room).count <= 2 * min(room, bound))
          hasEnded = true
        case _ where !hasEnded:
          let input = noise(Float.self, frames: frames, channels: 2, using: &generator)
          let (used, made) = try scaler.process(input[...], capacity: room)
          #expect(made.count <= 2 * min(room, bound))
          #expect(used == frames || made.count == 2 * room)
        default: break
        }
      }
    }
  }

  @Test func interpolationsOfTheTableAreKnownAndNoOthers() {
    let known = (0..<100 as Range<UInt32>).map(TimeDSPInterpolation.init(rawValue:)).filter {
      (try? TestScaler<Int16>(interpolation: $0, factor: 2)) != nil
    }
    #expect(known == everyInterpolation)
  }

  @Test(arguments: allInterpolations)
  func lookaheadIsThatOfTheInterpolation(interpolation: TimeDSPInterpolation) throws {
    let frames = Int(timedsp_frames_after(interpolation))
    let scaler = try TestScaler<Int16>(interpolation: interpolation, factor: 2)
    #expect(scaler.latency == frames)
    // a frame is output when as many further frames as the latency have been received
    for frame in 1...Int16(frames) {
      #expect(try scaler.process([frame], capacity: 10).made.count < 2)
    }
    #expect(try scaler.process([9], capacity: 10).made.count >= 1)
  }
}
