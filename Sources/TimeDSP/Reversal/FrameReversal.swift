// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Reverses frames in memory. Loads and stores needn't be aligned.
///
/// The loops are simple enough for the compiler to vectorise them for whole integers.
struct FrameReversal {
  let input: UnsafeRawPointer
  /// Either equal to `input`, or not overlapping it.
  let output: UnsafeMutableRawPointer
  let frames: Int
  let frameBytes: Int

  /// Frames up to this size can be moved as one or two integers or vectors.
  private static let smallFrameBytes = 64
  /// We use this much memory to reverse an array in place. Any more would be on the heap.
  private static let spareBytes = 1024

  func run() {
    if input != UnsafeRawPointer(output) {
      copy(frames, from: input, to: output)
    } else if frameBytes <= Self.smallFrameBytes {
      exchangeBlocks()
    } else {
      exchangeFrames()
    }
  }

  /// For small frames. Swaps blocks of them, working from both ends towards the middle.
  private func exchangeBlocks() {
    let most = UInt64(truncatingIfNeeded: Self.spareBytes).quotient(
      by: UInt64(truncatingIfNeeded: frameBytes))
    withUnsafeTemporaryAllocation(byteCount: Self.spareBytes, alignment: 16) { memory in
      guard let spare = memory.baseAddress else { return }
      var (head, left) = (output, frames)
      while left > 1 {
        let count = min(Int(truncatingIfNeeded: most), left &>> 1)
        let tail = head + (left &- count) &* frameBytes
        timedsp_copy(spare, head, count &* frameBytes)
        copy(count, from: tail, to: head)
        copy(count, from: spare, to: tail)
        head += count &* frameBytes
        left &-= 2 &* count
      }
    }
  }

  private func exchangeFrames() {
    var (low, high) = (0, (frames &- 1) &* frameBytes)
    while low < high {
      for byte in upTo(frameBytes) {
        let (one, other) = (output + (low &+ byte), output + (high &+ byte))
        let kept = one.loadUnaligned(as: UInt8.self)
        one.storeBytes(of: other.loadUnaligned(as: UInt8.self), as: UInt8.self)
        other.storeBytes(of: kept, as: UInt8.self)
      }
      low &+= frameBytes
      high &-= frameBytes
    }
  }

  private func copy(
    _ frames: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer
  ) {
    switch frameBytes {
    case 1: copy(frames, of: UInt8.self, source, target)
    case 2: copy(frames, of: UInt16.self, source, target)
    case 3: copy(frames, halves: UInt16.self, source, target)
    case 4: copy(frames, of: UInt32.self, source, target)
    case 5...7: copy(frames, halves: UInt32.self, source, target)
    case 8: copy(frames, of: UInt64.self, source, target)
    case 9...15: copy(frames, halves: UInt64.self, source, target)
    case 16: copy(frames, of: SIMD2<UInt64>.self, source, target)
    case 17...31: copy(frames, halves: SIMD2<UInt64>.self, source, target)
    case 32: copy(frames, of: SIMD4<UInt64>.self, source, target)
    case 33...64: copy(frames, halves: SIMD4<UInt64>.self, source, target)
    default:
      for index in 0..<max(frames, 0) {
        let frame = source + (frames &- 1 &- index) &* frameBytes
        timedsp_copy(target + index &* frameBytes, frame, frameBytes)
      }
    }
  }

  @inline(__always)
  private func copy<Frame: BitwiseCopyable>(
    _ frames: Int, of frame: Frame.Type, _ source: UnsafeRawPointer,
    _ target: UnsafeMutableRawPointer
  ) {
    let bytes = MemoryLayout<Frame>.size
    for index in 0..<max(frames, 0) {
      let value = (source + (frames &- 1 &- index) &* bytes).loadUnaligned(as: frame)
      (target + index &* bytes).storeBytes(of: value, as: frame)
    }
  }

  /// For frames that are one to two `Half`s long. The halves may overlap.
  @inline(__always)
  private func copy<Half: BitwiseCopyable>(
    _ frames: Int, halves half: Half.Type, _ source: UnsafeRawPointer,
    _ target: UnsafeMutableRawPointer
  ) {
    let rest = frameBytes &- MemoryLayout<Half>.size
    for index in 0..<max(frames, 0) {
      let from = source + (frames &- 1 &- index) &* frameBytes
      let to = target + index &* frameBytes
      let (start, end) = (from.loadUnaligned(as: half), (from + rest).loadUnaligned(as: half))
      to.storeBytes(of: start, as: half)
      (to + rest).storeBytes(of: end, as: half)
    }
  }
}
