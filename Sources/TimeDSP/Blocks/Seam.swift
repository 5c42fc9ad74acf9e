// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A seam: the boundary at which the block of a new run meets a block of the cache. The run also
/// contains some frames of that block, the overlap. The overlap in the run is compared with the
/// block.
struct Seam {
  let run: RunPointer
  let block: Block
  let direction: TimeDSPDirection
  let limits: FetchLimits

  /// Index (in the cache) of the first frame of the overlap.
  let overlapIndex: Int64
  /// Number of frames of the overlap.
  let overlapFrames: Int
  /// Index in the run at which the overlap is expected.
  let planned: Int

  /// The result of the comparison. `cut` is the index in the run at which the new block ends
  /// (backward) or begins.
  ///
  /// The cases have associated values because an enum without them is `Hashable`, and the hasher
  /// and its random seed must stay out of the plugin.
  enum Fit {
    /// The run contains the overlap at the expected position.
    case equal(cut: Int)
    /// The run contains the overlap at a different position.
    case shifted(cut: Int)
    /// The run does not contain the overlap: the two runs differ.
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

  /// Whether there is an overlap to compare.
  var isComparable: Bool { overlapFrames > 0 && run.pointee.frames >= overlapFrames }

  /// The index in the run at which the new block ends (backward) or begins, if the overlap is
  /// `shift` frames after the expected position.
  func cut(_ shift: Int) -> Int {
    max(min(run.pointee.joinIndex &+ shift, run.pointee.frames), 0)
  }

  /// Searches the run for the bytes of the overlap.
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

/// The length of a crossfade in frames: 5 ms.
func fadeFrames(rate: UInt32) -> Int64 { Int64(max(rate / 200, 1)) }
