// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A speed, 1 / factor, that changes linearly over the output.
///
/// A change from speed v0 to v1 within X input frames takes T = 2 × X / (v0 + v1) output frames. At
/// input position x, the speed is v = sqrt (v0² + (v1² - v0²) × x / X), and 2 × x / (v0 + v) frames
/// have been output. `RampPositions` computes the same in integers.
struct SpeedRamp: BitwiseCopyable {
  /// The speed at the beginning, in input frames per output frame.
  var speed: Double
  /// The speed after `length` input frames, in input frames per output frame.
  var finalSpeed: Double
  /// Length of the ramp in input frames. The length is above 0.
  var length: Double

  /// Half of the change of speed per output frame.
  private var growth: Double {
    (finalSpeed * finalSpeed - speed * speed) / (4 * length)
  }

  /// The speed at the input position `way` frames after the start of the ramp.
  func speed(at way: Double) -> Double {
    max(speed * speed + 4 * growth * way, 1e-8).squareRoot()
  }

  /// The number of output frames for the first `way` input frames.
  func output(of way: Double) -> Double {
    2 * way / (speed + speed(at: way))
  }

  /// The number of input frames for the first `way` output frames.
  func input(of way: Double) -> Double {
    (speed + growth * way) * way
  }
}
