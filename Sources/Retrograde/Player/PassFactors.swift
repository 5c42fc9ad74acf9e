// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

/// The factors for the passes of a loop. At a jump, `timescale` outputs what it still holds and
/// starts over, so a factor that we set there, in the streaming thread, applies from the first
/// frame of the pass.
final class PassFactors: Sendable {
  private let factors = Mutex<[ScaleFactor]>([])

  /// The factor of the pass that's being sent.
  var factor: ScaleFactor { factors.withLock { $0.first ?? .one } }

  func begin(_ all: [ScaleFactor], _ timescale: Element) {
    factors.withLock { $0 = all }
    timescale.set("factor", factor.value)
  }

  func next(_ timescale: UnsafeMutablePointer<GstElement>) {
    let next = factors.withLock { factors -> ScaleFactor? in
      guard factors.count > 1 else { return nil }
      factors.removeFirst()
      return factors.first
    }
    if let next { Element(sharing: timescale).set("factor", next.value) }
  }
}
