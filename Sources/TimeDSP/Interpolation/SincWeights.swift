// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Addresses of kernels: their weights, and again the weights of their cores.
struct SincWeights<Real: SincReal> {
  let all: UnsafeMutablePointer<Real>
  let cores: UnsafeMutablePointer<Double>

  /// The kernel in place `row` where each has `count` weights.
  @inline(__always)
  func row(_ row: Int, _ count: Int) -> SincWeights {
    SincWeights(all: all + row &* count, cores: cores + row &* SincQuality.core)
  }
}

/// Memory for kernels, before the type of their numbers is known.
struct SincMemory {
  let all: UnsafeMutableRawPointer
  let cores: UnsafeMutableRawPointer

  /// Up to `rows` kernels of `count` weights in all with `realBytes` bytes each, at the front of
  /// `memory`; advances `memory` beyond them.
  init(
    rows: Int, count: Int, _ realBytes: Int, takenFrom memory: inout UnsafeMutableRawPointer
  ) {
    cores = memory
    all = memory + rows &* SincQuality.core &* MemoryLayout<Double>.stride
    memory += Self.bytes(rows: rows, count: count, realBytes)
  }

  /// Bytes for `init`; a multiple of 16 for a multiple of 4 weights.
  static func bytes(rows: Int, count: Int, _ realBytes: Int) -> Int {
    rows &* SincQuality.core &* MemoryLayout<Double>.stride &+ count &* realBytes
  }

  @inline(__always)
  func weights<Real: SincReal>(_: Real.Type) -> SincWeights<Real> {
    SincWeights(
      all: all.assumingMemoryBound(to: Real.self),
      cores: cores.assumingMemoryBound(to: Double.self))
  }
}
