// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Finds where each bin's rotation comes from: the same bin of the last frame, or the bin below or
/// above in this frame.
///
/// We know the rotations of the last frame. They spread to the bins of this frame, and from there
/// to their two neighbours, always from the loudest bin first. A priority queue would give this
/// order. But the bins of a frame are in a line, so only three paths lead to a bin, and two
/// recurrences give the levels of these paths. The level of a path is the power of the softest bin
/// on it. We reach a bin first on the path with the highest level, and bins with higher levels
/// before bins with lower ones (as in Prim's algorithm for a maximum spanning tree).
///
///     fromLast[k]  = lastPower[k]
///     fromBelow[k] = min (power[k - 1], max (fromLast[k - 1], fromBelow[k - 1]))
///     fromAbove[k] = min (power[k + 1], max (fromLast[k + 1], fromAbove[k + 1]))
///
/// Levels are integers, the bit patterns of powers, because they increase with the powers.
struct PhaseOrder {
  private let bins: Int
  /// What counts for a bin's neighbours: 0 if the bin doesn't lead to them.
  private let power: UnsafeMutablePointer<UInt32>
  /// For each bin, first the level of the path from the last frame, then the highest level, or
  /// `known` if we know the rotation from the start. The elements before bin 0 and after the last
  /// bin are 0.
  private let levels: UnsafeMutablePointer<UInt32>
  /// For each bin, first the level of the path from the bin below, then the result: all bits set if
  /// the rotation comes from there, otherwise 0.
  let fromBelow: UnsafeMutablePointer<UInt32>
  /// The same for the bin above.
  let fromAbove: UnsafeMutablePointer<UInt32>

  /// The level of a bin whose rotation we know from the start.
  private static let known = Float.infinity.bitPattern
  private static let lead = 16

  init(_ bins: Int, _ memory: inout ScratchMemory) {
    self.bins = bins
    let room = bins &+ 16
    power = memory.allocate(UInt32.self, room)
    levels = memory.allocate(UInt32.self, room &+ Self.lead) + Self.lead
    fromBelow = memory.allocate(UInt32.self, room)
    fromAbove = memory.allocate(UInt32.self, room)
  }

  /// Fewer bins, in the memory of `other`.
  init(_ bins: Int, sharing other: PhaseOrder) {
    self.bins = bins
    (power, levels) = (other.power, other.levels)
    (fromBelow, fromAbove) = (other.fromBelow, other.fromAbove)
  }

  /// `now` and `last` are the powers of this frame and of the last one. We know some rotations from
  /// the start: up to a power of `least` (these don't spread), of bins that are 1 in `isFixed`, and
  /// with `isConstant` of bin 0.
  func find(
    _ now: UnsafeMutablePointer<Float>, _ last: UnsafeMutablePointer<Float>,
    _ isFixed: UnsafeMutablePointer<UInt8>, isConstant: Bool, above least: Float
  ) {
    for bin in upTo(bins, by: 8) {
      let numbers = now.lanes(bin)
      let isAudible = (least - numbers).signs
      power.put(numbers.bits & isAudible, bin)
      // we reach bins that were silent in the last frame, too, but after all others
      let start = last.lanes(bin).bits | 1
      let isKnown = isFixed.marks(bin) | ~isAudible
      levels.put(start.replaced(by: Phases(repeating: Self.known), where: isKnown), bin)
    }
    if isConstant { levels[0] = Self.known }
    findPaths()
    choose()
  }

  /// Both recurrences are in one loop, because the CPU can work on one while it waits for the last
  /// result of the other.
  private func findPaths() {
    var (below, above): (UInt32, UInt32) = (0, 0)
    var (low, high) = (0, bins &- 1)
    while high >= 0 {
      fromBelow[low] = below
      fromAbove[high] = above
      below = min(power[low], max(levels[low], below))
      above = min(power[high], max(levels[high], above))
      low &+= 1
      high &-= 1
    }
  }

  /// The path with the highest level wins. If a sound begins, all levels are 1, and the path from
  /// below wins, so that rotations spread from the lowest bin.
  private func choose() {
    for bin in upTo(bins, by: 8) {
      let (start, below, above) = (levels.lanes(bin), fromBelow.lanes(bin), fromAbove.lanes(bin))
      let isAbove = start.less(above)
      let other = start.replaced(by: above, where: isAbove)
      let isOther = below.less(other)
      levels.put(below.replaced(by: other, where: isOther), bin)
      fromBelow.put(~isOther, bin)
      fromAbove.put(isAbove & isOther, bin)
    }
    levels[-1] = 0
    levels[bins] = 0
  }

  @inline(__always)
  func isOpen(_ bin: Int) -> Bool { levels[bin] != Self.known }

  /// We know the rotation of the bin below before that of `bin`.
  @inline(__always)
  func isAfterBelow(_ bin: Int) -> Bool {
    fromBelow[bin] != 0 || levels[bin &- 1] > levels[bin]
  }

  /// We know the rotation of the bin above before that of `bin`.
  @inline(__always)
  func isAfterAbove(_ bin: Int) -> Bool {
    fromAbove[bin] != 0 || levels[bin &+ 1] > levels[bin]
  }
}

extension Phases {
  /// All bits set where it's less, otherwise 0. The numbers must be below 2^31.
  @inline(__always)
  fileprivate func less(_ other: Phases) -> Phases {
    let signs = unsafeBitCast(self &- other, to: SIMD8<Int32>.self) &>> 31
    return unsafeBitCast(signs, to: Phases.self)
  }
}
