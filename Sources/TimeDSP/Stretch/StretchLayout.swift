// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Computes how much memory a stretcher with some configuration needs, and makes the stretcher in
/// that memory.
struct StretchLayout {
  let shape: AudioShape
  let sizes: StretchSizes

  init(_ config: TimeStretchConfig) throws(TimeDSPStatus) {
    let plain = TimeDSPConfig(
      format: config.format, layout: config.layout, interpolation: TIMEDSP_LINEAR,
      channels: config.channels, quality: 0)
    shape = try AudioShape(plain)
    let rates = UInt32(TIMESTRETCH_MIN_RATE)...UInt32(TIMESTRETCH_MAX_RATE)
    try require(rates.contains(config.rate), else: TIMEDSP_BAD_RATE)
    try require(
      config.window.rawValue <= TIMESTRETCH_LOW_LATENCY.rawValue, else: TIMEDSP_BAD_WINDOW)
    sizes = StretchSizes(config.window, rate: Int(truncatingIfNeeded: config.rate))
  }

  /// Size of the stretcher itself in bytes, rounded up to a cache line.
  private var head: Int { (MemoryLayout<Stretcher>.size &+ 63) & ~63 }

  var bytes: Int {
    var memory = ScratchMemory(nil)
    _ = Stretcher(shape, sizes, &memory, computing: false)
    return head &+ memory.bytes
  }

  /// Makes a stretcher in `block`, which has `bytes` bytes and is aligned to 64.
  func place(
    in block: UnsafeMutableRawPointer, _ factor: Fraction
  ) -> UnsafeMutablePointer<Stretcher> {
    var memory = ScratchMemory(block + head)
    var stretcher = Stretcher(shape, sizes, &memory, computing: true)
    stretcher.start(factor)
    let place = block.bindMemory(to: Stretcher.self, capacity: 1)
    place.initialize(to: stretcher)
    return place
  }
}
