// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

/// A changing factor, calculated in `Double` from its formulas. The speed (input frames per output
/// frame) changes from `start` to `end` within `frames` frames of input. From each output frame to
/// the next, it changes by the same amount.
struct RampModel {
  let start: Double
  let end: Double
  let frames: Double

  init(from factor: Double, to target: Double, within frames: Int) {
    self.init(speed: 1 / factor, to: target, within: frames)
  }

  init(speed: Double, to target: Double, within frames: Int) {
    start = speed
    end = 1 / target
    self.frames = Double(frames)
  }

  /// Number of output frames during the change.
  var length: Double { 2 * frames / (start + end) }

  /// The input position of output frame `k`.
  func position(_ k: Double) -> Double {
    if k > length { return frames + (k - length) * end }
    return k * (start + (end - start) * k / (2 * length))
  }

  /// The factor at output frame `k`.
  func factor(_ k: Double) -> Double {
    1 / (k > length ? end : start + (end - start) * k / length)
  }

  /// The speed after `x` frames of input.
  func speed(_ x: Double) -> Double {
    x >= frames ? end : (start * start + (end * end - start * start) * x / frames).squareRoot()
  }

  /// The integral of the factor over the first `x` frames of input.
  func made(_ x: Double) -> Double {
    x >= frames ? length + (x - frames) / end : 2 * x / (start + speed(x))
  }
}
