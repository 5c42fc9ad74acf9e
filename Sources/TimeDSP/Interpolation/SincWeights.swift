// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// One or more kernels: their weights, and those of their cores (`SincDot`).
struct SincWeights<Real: SincReal> {
  let all: UnsafeMutablePointer<Real>
  let cores: UnsafeMutablePointer<Double>

  @inline(__always)
  func row(_ row: Int, _ count: Int) -> SincWeights {
    SincWeights(all: all + row &* count, cores: cores + row &* SincQuality.core)
  }
}

/// For kernels whose number type we don't know statically.
struct SincMemory {
  let all: UnsafeMutableRawPointer
  let cores: UnsafeMutableRawPointer

  /// Takes the front of `memory`, and advances that. There's room for `rows` kernels with `count`
  /// weights in total, of `realBytes` bytes each.
  init(
    rows: Int, count: Int, _ realBytes: Int, allocatedFrom memory: inout UnsafeMutableRawPointer
  ) {
    cores = memory
    all = memory + rows &* SincQuality.core &* MemoryLayout<Double>.stride
    let end = all + count &* realBytes
    memory += Self.bytes(rows: rows, count: count, realBytes)
    timedsp_fence(end, memory - end)
  }

  /// For `init`, with a fence of 16 bytes. If `count` is a multiple of 4, it's a multiple of 16.
  static func bytes(rows: Int, count: Int, _ realBytes: Int) -> Int {
    rows &* SincQuality.core &* MemoryLayout<Double>.stride &+ count &* realBytes &+ 16
  }

  @inline(__always)
  func weights<Real: SincReal>(_: Real.Type) -> SincWeights<Real> {
    SincWeights(
      all: all.assumingMemoryBound(to: Real.self),
      cores: cores.assumingMemoryBound(to: Double.self))
  }
}
