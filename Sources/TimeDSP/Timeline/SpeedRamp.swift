// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A speed, 1 / factor, that moves evenly over the output from one value to another.
///
/// From speed v0 to v1 within X frames of input, T = 2 X / (v0 + v1) frames of output are
/// made. At x of the way the speed is sqrt (v0² + (v1² - v0²) x / X), and 2 x / (v0 + v)
/// frames have been made. `RampPositions` does the same in whole numbers.
struct SpeedRamp: BitwiseCopyable {
  /// Input frames per output frame, at the beginning and after `length` frames.
  var speed: Double
  var finalSpeed: Double
  /// Frames of input, above 0.
  var length: Double

  /// Half of the speed's growth per output frame.
  private var growth: Double {
    (finalSpeed * finalSpeed - speed * speed) / (4 * length)
  }

  /// The speed `way` frames of input from the beginning.
  func speed(at way: Double) -> Double {
    max(speed * speed + 4 * growth * way, 1e-8).squareRoot()
  }

  /// The number of output frames made from the first `distance` frames of input. (`way` is the
  /// German Weg; rename it)
  func output(of way: Double) -> Double {
    2 * way / (speed + speed(at: way))
  }

  /// Input frames that `way` frames of output are made of.
  func input(of way: Double) -> Double {
    (speed + growth * way) * way
  }
}
