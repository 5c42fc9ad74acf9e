// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A speed that changes linearly over the output. The speed is 1 / factor.
///
/// A change from speed v0 to v1 within X input frames takes T = 2 X / (v0 + v1) output frames. At
/// the input position x, the speed is v = sqrt (v0² + (v1² - v0²) x / X). By then, 2 x / (v0 + v)
/// frames have been output. `RampPositions` does the same in integers.
struct SpeedRamp: BitwiseCopyable {
  /// Input frames per output frame at the beginning.
  var speed: Double
  /// Input frames per output frame after `length` input frames.
  var finalSpeed: Double
  /// Number of input frames of the ramp, above 0.
  var length: Double

  /// Half of the change of the speed per output frame.
  private var growth: Double {
    (finalSpeed * finalSpeed - speed * speed) / (4 * length)
  }

  /// The speed after `way` input frames.
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
