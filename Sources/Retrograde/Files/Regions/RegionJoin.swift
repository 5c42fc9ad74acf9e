// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// Joins regions that come one after the other, the frames of each from its end to its
/// beginning. Knows neither files nor threads.
struct RegionJoin {
  let frameBytes: Int
  /// Of the upper region, the last frames: what is held back until the lower one is there.
  private var held: [UInt8] = []
  private let warmUpBytes: Int
  private let overlapBytes: Int
  private let slackFrames: Int

  /// `slackFrames` is how far from its place the overlap may lie.
  init(frameBytes: Int, rate: Int, slackFrames: Int) {
    self.frameBytes = frameBytes
    self.slackFrames = slackFrames
    warmUpBytes = RegionPlan.warmUpSeconds * rate * frameBytes
    overlapBytes = RegionPlan.overlapSeconds * rate * frameBytes
  }

  /// How many bytes of a lower region are compared.
  var comparedBytes: Int { overlapBytes }

  /// Takes in what comes of a region, and gives what no join can concern any more.
  mutating func add(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    held += bytes
    let kept = warmUpBytes + overlapBytes + slackFrames * frameBytes
    // in large steps, since the rest is moved
    guard held.count >= 2 * kept + (1 << 20) else { return [] }
    let ready = held[..<(held.count - kept)]
    held = Array(held[ready.endIndex...])
    return ready
  }

  /// The region has ended, and `head`, of ``comparedBytes``, is how the next one begins: gives
  /// what is left of the first up to there. nil where the two do not fit in one place alone.
  mutating func join(_ head: [UInt8]) -> ArraySlice<UInt8>? {
    guard head.count == overlapBytes, !head.isEmpty, let place = place(of: head) else { return nil }
    let rest = held[..<place]
    held = []
    return rest
  }

  /// What is left at the end of the last region.
  mutating func finish() -> [UInt8] {
    defer { held = [] }
    return held
  }

  /// In silence, and in what repeats itself, it may fit in several places.
  private func place(of head: [UInt8]) -> Int? {
    let planned = held.count - warmUpBytes - overlapBytes
    let places = (-slackFrames...slackFrames).map { planned + $0 * frameBytes }
    let fits = places.filter { place in
      place >= 0 && place + head.count <= held.count
        && held.withUnsafeBytes { held in
          head.withUnsafeBytes { head in
            guard let there = held.baseAddress, let here = head.baseAddress else { return false }
            return memcmp(there + place, here, head.count) == 0
          }
        }
    }
    return fits.count == 1 ? fits[0] : nil
  }
}
