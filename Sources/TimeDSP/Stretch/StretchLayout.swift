// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Computes how much memory a stretcher needs, and creates it in a block of this size.
///
/// The size doesn't depend on the factor. At 48 kHz in F32, music needs 1.1 MiB for one channel,
/// and 0.15 MiB for each additional channel.
struct StretchLayout {
  let shape: AudioShape
  let sizes: StretchSizes

  /// `rate` sets the length of the windows. It's in Hz, and clamped to 8 … 192 kHz.
  init(_ shape: AudioShape, _ window: TimeStretchWindow, rate: UInt32) {
    self.shape = shape
    sizes = StretchSizes(window, rate: Int(truncatingIfNeeded: min(max(rate, 8000), 192_000)))
  }

  /// The stretcher itself takes this many bytes, rounded up to a cache line.
  private var head: Int { (MemoryLayout<Stretcher>.size &+ 63) & ~63 }

  var bytes: Int {
    var memory = ScratchMemory(nil)
    _ = Stretcher(shape, sizes, &memory, computing: false)
    return head &+ memory.bytes
  }

  /// `block` must have `bytes` bytes, aligned to 64.
  func makeStretcher(
    in block: UnsafeMutableRawPointer, _ factor: Fraction
  ) -> UnsafeMutablePointer<Stretcher> {
    var memory = ScratchMemory(block + head)
    var stretcher = Stretcher(shape, sizes, &memory, computing: true)
    stretcher.start(factor)
    let pointer = block.bindMemory(to: Stretcher.self, capacity: 1)
    pointer.initialize(to: stretcher)
    return pointer
  }
}
