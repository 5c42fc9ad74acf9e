// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The timestamps of a collected stream, and those of its reverse output. The frames are grouped
/// into runs: a run has no jump in time, and is either audio or a gap.
struct KeptRuns: HeldByC, ~Copyable {
  private struct Run {
    var firstFrame: UInt64
    var startNs: UInt64
    var isGap: Bool
  }

  private static let leastBytes: UInt64 = 1 << 20
  private static let firstCapacity = 32
  private static let secondNs: UInt64 = 1_000_000_000
  /// Maximum rounding error of the difference between two times, each in whole nanoseconds.
  private static let roundingNs: UInt64 = 2

  private let rate: UInt64
  private let mostBytes: UInt64
  private var storage: Storage
  private var capacity = firstCapacity
  private(set) var count = 0
  private var frames: UInt64 = 0

  /// Start of the segment, in nanoseconds.
  private var startNs: UInt64 = 0
  private var stopNs: UInt64 = 0
  /// Number of runs that have not been output yet. These are the first runs, because the last
  /// run is output first.
  private var left = 0
  /// Output time of the last run that did not continue the run before it.
  private var jumpNs: UInt64 = 0
  /// Number of frames output since `jumpNs`.
  private var framesSinceJump: UInt64 = 0

  init(rate: UInt32, mostBytes: UInt64) throws(TimeDSPStatus) {
    self.rate = UInt64(max(rate, 1))
    self.mostBytes = max(mostBytes, Self.leastBytes)
    storage = try Storage(bytes: Self.firstCapacity &* MemoryLayout<Run>.stride)
  }

  private var runs: UnsafeMutablePointer<Run> {
    storage.base.assumingMemoryBound(to: Run.self)
  }

  private func nanoseconds(_ frames: UInt64) -> UInt64 {
    let product = frames.multipliedFullWidth(by: Self.secondNs)
    return product.high < rate ? rate.dividing(high: product.high, low: product.low) : .max
  }
}

extension KeptRuns {
  mutating func add(
    _ new: UInt64, at timeNs: UInt64, jumps: Bool, isGap: Bool
  ) throws(TimeDSPStatus) {
    if count == 0 || jumps || runs[count &- 1].isGap != isGap {
      if count == capacity { try grow() }
      (runs + count).initialize(to: Run(firstFrame: frames, startNs: timeNs, isGap: isGap))
      count &+= 1
    }
    frames &+= new
  }

  private mutating func grow() throws(TimeDSPStatus) {
    let bytes = 2 &* capacity &* MemoryLayout<Run>.stride
    try require(UInt64(truncatingIfNeeded: bytes) <= mostBytes, else: TIMEDSP_NO_MEMORY)
    let larger = try Storage(bytes: bytes)
    timedsp_copy(larger.base, storage.base, count &* MemoryLayout<Run>.stride)
    storage = larger
    capacity &*= 2
  }

  /// The number of the frame after the last frame of the run at `index`.
  private func endFrame(_ index: Int) -> UInt64 {
    index &+ 1 < count ? runs[index &+ 1].firstFrame : frames
  }

  private func length(_ index: Int) -> UInt64 { endFrame(index) &- runs[index].firstFrame }

  private func endNs(_ index: Int) -> UInt64 {
    runs[index].startNs &+ nanoseconds(length(index))
  }

  /// Start of the run at `index` in the output. The runs output before it end at `soFarNs`.
  private func outputNs(_ index: Int, _ soFarNs: UInt64) -> UInt64 {
    let endNs = min(max(endNs(index), startNs), stopNs)
    return max(startNs &+ (stopNs &- endNs), soFarNs)
  }
}

extension KeptRuns {
  /// Drops the frames that begin at `stopNs` or later. Must be called after the last frames have
  /// been added.
  mutating func cut(at stopNs: UInt64) {
    while count > 0, endNs(count &- 1) > stopNs {
      let run = runs[count &- 1]
      let leastNs = min(run.startNs, stopNs)
      let wayNs = stopNs &- leastNs &- min(stopNs &- leastNs, Self.roundingNs)
      let before = framesCovering(wayNs, rate: UInt32(clamping: rate))
      frames = run.firstFrame &+ min(before, length(count &- 1))
      if before > 0 { return }
      count &-= 1
    }
  }

  /// Prepares the reverse output of a segment that starts at `startNs`. Returns the end times of
  /// the input and of the output. Must be called after the last frames have been added.
  mutating func turn(from startNs: UInt64) -> (stopNs: UInt64, outputEndNs: UInt64) {
    self.startNs = startNs
    stopNs = startNs
    var index = 0
    while index < count {
      stopNs = max(stopNs, endNs(index))
      index &+= 1
    }
    left = count
    var soFarNs = startNs
    while index > 0 {
      index &-= 1
      soFarNs = outputNs(index, soFarNs) &+ nanoseconds(length(index))
    }
    return (stopNs, soFarNs)
  }

  /// Returns the next run of the output. A run that would begin less than a frame after the end of
  /// the previous run continues that run, without a jump.
  mutating func next() -> TimeKeptRun? {
    guard left > 0 else { return nil }
    let isFirst = left == count
    left &-= 1
    var run = TimeKeptRun()
    run.first_frame = runs[left].firstFrame
    run.end_frame = endFrame(left)
    run.gap = runs[left].isGap ? 1 : 0

    let soFarNs = isFirst ? 0 : jumpNs &+ nanoseconds(framesSinceJump)
    let beginNs = outputNs(left, soFarNs)
    let jumps = isFirst || beginNs > soFarNs &+ nanoseconds(1) &+ 1
    run.start_ns = jumps ? beginNs : .max
    if jumps {
      jumpNs = beginNs
      framesSinceJump = 0
    }
    framesSinceJump &+= length(left)
    return run
  }
}
