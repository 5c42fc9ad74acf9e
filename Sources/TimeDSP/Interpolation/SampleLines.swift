// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Samples of a channel, laid out so that no vector load crosses a cache line boundary. That would
/// take twice as long, and with a plain array, half of all loads would do it.
///
/// A block has as many samples as a vector has lanes, and a cache line holds two blocks. We repeat
/// the second block of each line as the first block of the next one, so every sample is stored
/// twice. That way, a vector that begins in the first half of a line never leaves that line.
struct SampleLines<Real: SincReal> {
  /// Always in the first half of its cache line.
  private let start: UnsafeMutablePointer<Real>

  private static var lineCount: Int { 2 &* Real.blockCount }

  /// The number of cache lines for `count` samples of a channel. It's odd, so that successive
  /// channels don't compete for the same cache sets.
  static func lines(_ count: Int) -> Int { (count / Real.blockCount &+ 2) | 1 }

  /// Memory for `channels` channels of `count` samples, with room for a line before them.
  static func allocate(
    channels: Int, _ count: Int, _ memory: inout Arena
  ) throws(TimeDSPStatus) -> UnsafeMutableRawPointer {
    let lineBytes = lineCount &* MemoryLayout<Real>.stride
    let bytes = (channels &* lines(count) &+ 1) &* lineBytes
    return try memory.allocate(bytes: bytes) + lineBytes
  }

  /// `memory` must be the start of a cache line, with room for a block before it.
  @inline(__always)
  init(memory: UnsafeMutablePointer<Real>) { start = memory }

  /// The offset in memory, in samples, from the start of the cache line with index 0.
  @inline(__always)
  static func offset(of index: Int) -> Int {
    let within = index & (Real.blockCount &- 1)
    return 2 &* (index &- within) &+ within
  }

  /// `start` must be at the start of a cache line.
  @inline(__always)
  func from(_ index: Int) -> SampleLines { SampleLines(memory: start + Self.offset(of: index)) }

  /// The samples of another channel, `count` cache lines later.
  @inline(__always)
  func moved(lines count: Int) -> SampleLines {
    SampleLines(memory: start + count &* Self.lineCount)
  }

  /// The same samples, for a loop that reads many blocks of several channels.
  @inline(__always)
  var base: SampleLines {
    guard let address = timedsp_base(start) else { return self }
    return SampleLines(
      memory: UnsafeMutableRawPointer(mutating: address).assumingMemoryBound(to: Real.self))
  }

  /// `index` must be a multiple of the size of a block.
  @inline(__always)
  func fromBlock(_ index: Int) -> SampleLines { SampleLines(memory: start + 2 &* index) }

  /// `index` must be a multiple of the size of a block.
  @inline(__always)
  func block(_ index: Int) -> Real.Block { UnsafePointer(start).block(2 &* index) }

  /// `index` must be a multiple of 4.
  @inline(__always)
  func four(_ index: Int) -> SIMD4<Double> { Real.four(start + Self.offset(of: index)) }

  /// The channel's samples are `step` apart in `source`.
  @inline(__always)
  func fill<S: Sample>(_ source: UnsafePointer<S>, _ step: Int, _ count: Int) {
    var (line, from, left) = (start, source, count)
    while left >= Real.blockCount {
      let block = Real.block { Real(from[$0 &* step].exact) }
      UnsafeMutableRawPointer(line).storeBytes(of: block, as: Real.Block.self)
      // the second half of the previous line
      UnsafeMutableRawPointer(line - Real.blockCount)
        .storeBytes(of: block, as: Real.Block.self)
      line += Self.lineCount
      from += Real.blockCount &* step
      left &-= Real.blockCount
    }
    for index in upTo(left) {
      let sample = Real(from[index &* step].exact)
      line[index] = sample
      line[index &- Real.blockCount] = sample
    }
  }
}
