// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Pointers to one or more kernels: to their weights, and to the weights of their cores
/// (`SincDot`).
struct SincWeights<Real: SincReal> {
  let all: UnsafeMutablePointer<Real>
  let cores: UnsafeMutablePointer<Double>

  /// The kernel of row `row`. Each kernel has `count` weights.
  @inline(__always)
  func row(_ row: Int, _ count: Int) -> SincWeights {
    SincWeights(all: all + row &* count, cores: cores + row &* SincQuality.core)
  }
}

/// Memory for kernels whose number type is not known statically.
struct SincMemory {
  let all: UnsafeMutableRawPointer
  let cores: UnsafeMutableRawPointer

  /// Allocates at the front of `memory`, and advances `memory`. There is room for `rows` kernels
  /// with `count` weights in total. Each weight has `realBytes` bytes.
  init(
    rows: Int, count: Int, _ realBytes: Int, allocatedFrom memory: inout UnsafeMutableRawPointer
  ) {
    cores = memory
    all = memory + rows &* SincQuality.core &* MemoryLayout<Double>.stride
    let end = all + count &* realBytes
    memory += Self.bytes(rows: rows, count: count, realBytes)
    timedsp_fence(end, memory - end)
  }

  /// Size in bytes for `init`, with a fence of 16 bytes; a multiple of 16 if `count` is a multiple of 4.
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
