// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Where the block of a new run meets a block of the cache. The run also contains some frames of
/// that block, the overlap, so that we can compare them.
struct Seam {
  let run: RunPointer
  let block: Block
  let direction: TimeDSPDirection
  let limits: FetchLimits

  /// In the cache.
  let overlapIndex: Int64
  let overlapFrames: Int
  /// Where we expect the overlap in the run.
  let planned: Int

  /// What the comparison finds. The new block ends (backward) or begins at `cut` in the run.
  ///
  /// The cases have associated values because an enum without them is `Hashable`, and the plugin
  /// mustn't contain the hasher and its random seed.
  enum Fit {
    /// The overlap is where we expect it.
    case equal(cut: Int)
    /// The overlap is elsewhere.
    case shifted(cut: Int)
    /// The run doesn't contain the overlap: the two runs differ.
    case unequal
  }

  /// The new `run` is below `block` (`direction` is backward) or above it.
  init(
    of run: RunPointer, with block: Block, _ direction: TimeDSPDirection,
    _ limits: FetchLimits
  ) {
    self.run = run
    self.block = block
    self.direction = direction
    self.limits = limits
    let join = run.pointee.joinIndex
    let most = min(Int(truncatingIfNeeded: limits.overlapFrames), block.frames)
    let isBackward = direction == TIMEDSP_BACKWARD
    overlapIndex = isBackward ? block.index : block.endIndex &- Int64(truncatingIfNeeded: most)
    overlapFrames = isBackward ? most : min(most, join)
    planned = isBackward ? join : join &- overlapFrames
  }

  var isComparable: Bool { overlapFrames > 0 && run.pointee.frames >= overlapFrames }

  /// Where the new block ends (backward) or begins in the run, if the overlap is `shift` frames
  /// later than expected.
  func cut(_ shift: Int) -> Int {
    max(min(run.pointee.joinIndex &+ shift, run.pointee.frames), 0)
  }

  func find() -> Fit {
    let search = Int(truncatingIfNeeded: limits.searchFrames)
    guard isComparable,
      let there = run.pointee.address(of: 0), let here = block.address(of: overlapIndex),
      let positions = SearchPositions(
        run: run.pointee.frames, needle: overlapFrames, planned: planned, search: search)
    else { return .unequal }
    let bytes = RunSearch(
      run: there, needle: here, runPlaneBytes: run.pointee.planeBytes,
      needlePlaneBytes: block.run.pointee.planeBytes, planes: Int(run.pointee.format.planes),
      strideBytes: Int(run.pointee.format.stride_bytes), needleFrames: overlapFrames)
    guard let position = bytes.firstMatch(in: positions) else { return .unequal }
    let cut = cut(position &- planned)
    return position == planned ? .equal(cut: cut) : .shifted(cut: cut)
  }
}

/// 5 ms.
func fadeFrames(rate: UInt32) -> Int64 { Int64(max(rate / 200, 1)) }
