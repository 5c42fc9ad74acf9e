// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A Hann window: w(n) = sin² (π (n + 1/2) / count). It's symmetric about n = count / 2 - 1/2.
struct StretchWindow {
  let count: Int
  let values: UnsafeMutablePointer<Float>

  init(_ count: Int, _ memory: inout ScratchMemory, computing: Bool) {
    self.count = count
    values = memory.allocate(Float.self, count)
    guard computing else { return }
    for index in upTo(count) {
      let sine = sinPi((Double(index) + 0.5) / Double(count))
      values[index] = Float(sine * sine)
    }
  }

  @inline(__always)
  func sixteen(_ index: Int) -> SIMD16<Float> {
    UnsafeMutableRawPointer(values + index).read(SIMD16<Float>.self)
  }

  /// In the input of `fft`, the second half of the window comes first, and the first half last, so
  /// that phases refer to the centre of the window.
  @inline(__always)
  func index(of frame: Int, in fft: RealFFT) -> Int {
    let index = frame &- count &>> 1
    return index < 0 ? fft.count &+ index : index
  }

  /// The value nearest to `distance` frames after the middle, or 0 outside the window.
  func value(at distance: Double) -> Double {
    let index = rounded(distance) &+ Int64(truncatingIfNeeded: count &>> 1)
    guard index >= 0, index < Int64(truncatingIfNeeded: count) else { return 0 }
    return Double(values[Int(truncatingIfNeeded: index)])
  }
}
