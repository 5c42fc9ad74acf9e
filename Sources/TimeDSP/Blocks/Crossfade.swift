// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Crossfades interleaved samples. `output` may be the same memory as `from` or `to`.
///
/// The weight of `to` is a raised cosine, sampled at the middle of each frame. The weights of the
/// nth frame and of the nth frame from the end add up to 1.
func crossfade(
  from: UnsafePointer<Double>, to: UnsafePointer<Double>, output: UnsafeMutablePointer<Double>,
  frames: Int, channels: Int
) {
  var (frame, index) = (0, 0)
  while frame < frames {
    let progress = (Double(frame) + 0.5) / Double(frames)
    let weight = (1 - cosPi(progress)) / 2
    let end = index &+ channels
    while index < end {
      output[index] = from[index] + weight * (to[index] - from[index])
      index &+= 1
    }
    frame &+= 1
  }
}
