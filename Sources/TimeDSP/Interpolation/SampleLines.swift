// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Samples of a channel, arranged so that no vector of them crosses a cache line: loading one that
/// does takes twice as long, and half of all would.
///
/// Each line has the samples of two blocks, and the second block is the first one of the next line.
/// So every sample is stored twice, and a block that begins anywhere in the first half of a line
/// is within that line.
struct SampleLines<Real: SincReal> {
  /// The address of a sample in the first half of its line.
  private let start: UnsafeMutablePointer<Real>

  /// Number of numbers in a line.
  private static var lineCount: Int { 2 &* Real.blockCount }

  /// Number of lines for `count` samples of a channel; odd, so that channels are not all mapped to
  /// the same cache lines.
  static func lines(_ count: Int) -> Int { (count / Real.blockCount &+ 2) | 1 }

  /// Size in bytes of the memory for `channels` channels of `count` samples, and a line before.
  static func bytes(channels: Int, _ count: Int) -> Int {
    (channels &* lines(count) &+ 1) &* lineCount &* MemoryLayout<Real>.stride
  }

  /// Lines at `memory`, which is the start of a cache line; there must be room for a block before
  /// it.
  @inline(__always)
  init(memory: UnsafeMutablePointer<Real>) { start = memory }

  /// The distance in memory from the start of a line to sample `index` of that line or a later one.
  @inline(__always)
  static func place(_ index: Int) -> Int {
    let within = index & (Real.blockCount &- 1)
    return 2 &* (index &- within) &+ within
  }

  /// The samples that begin with number `index`; this must be called for the start of a line.
  @inline(__always)
  func from(_ index: Int) -> SampleLines { SampleLines(memory: start + Self.place(index)) }

  /// The samples `count` lines later.
  @inline(__always)
  func moved(lines count: Int) -> SampleLines {
    SampleLines(memory: start + count &* Self.lineCount)
  }

  /// The block that begins `index` samples later; `index` is a multiple of the size of a block.
  @inline(__always)
  func block(_ index: Int) -> Real.Block { UnsafePointer(start).block(2 &* index) }

  /// The four samples that begin `index` samples later; `index` is a multiple of 4.
  @inline(__always)
  func four(_ index: Int) -> SIMD4<Double> { Real.four(start + Self.place(index)) }

  /// Stores the first `count` samples of a channel; `step` is the distance between two.
  @inline(__always)
  func fill<S: Sample>(_ source: UnsafePointer<S>, _ step: Int, _ count: Int)
  where S.Real == Real {
    var (line, from, left) = (start, source, count)
    while left > 0 {
      let filled = min(left, Real.blockCount)
      var index = 0
      while index < filled {
        let sample = Real(from[index &* step].exact)
        line[index] = sample
        // the second half of the line before
        line[index &- Real.blockCount] = sample
        index &+= 1
      }
      line += Self.lineCount
      from += Real.blockCount &* step
      left &-= Real.blockCount
    }
  }
}
