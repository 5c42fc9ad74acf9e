// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Crossfades from the samples at `from` to the samples at `to`. Samples are interleaved `Double`
/// values. `output` may be the same memory as `from` or `to`.
struct Crossfade {
  let from: UnsafeRawPointer
  let to: UnsafeRawPointer
  let output: UnsafeMutableRawPointer
  let frames: Int
  let channels: Int

  func run() {
    let sampleBytes = MemoryLayout<Double>.stride
    var offset = 0
    var frame = 0
    while frame < frames {
      let weight = weight(of: frame)
      let end = offset &+ channels &* sampleBytes
      while offset < end {
        let start = (from + offset).read(Double.self)
        let difference = (to + offset).read(Double.self) - start
        (output + offset).write(start + weight * difference)
        offset &+= sampleBytes
      }
      frame &+= 1
    }
  }

  /// The weight of `to` in a frame: a raised cosine, sampled at the middle of each frame. The
  /// weights of the nth frame and of the nth frame from the end add up to 1.
  private func weight(of frame: Int) -> Double {
    let progress = (Double(frame) + 0.5) / Double(frames)
    return (1 - cosPi(progress)) / 2
  }
}
