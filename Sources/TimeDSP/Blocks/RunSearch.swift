// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Searches a run for the exact bytes of a needle. The needle is a short piece of a neighbouring
/// run, at least one frame long.
///
/// `run` and `needle` are lists of plane addresses. No address is NULL.
struct RunSearch {
  let run: UnsafePointer<UnsafeRawPointer?>
  let needle: UnsafePointer<UnsafeRawPointer?>
  let planes: Int
  let strideBytes: Int
  let needleFrames: Int

  /// The first of `positions` at which the run contains the needle.
  func firstMatch(in positions: SearchPositions) -> Int? {
    var positions = positions
    guard let runStart = run.pointee, let needleStart = needle.pointee else { return nil }
    // Most positions differ in their first bytes; one load detects this faster than a call.
    typealias Probe = UInt64
    let hasProbe = needleFrames &* strideBytes >= MemoryLayout<Probe>.size
    let probe = hasProbe ? needleStart.read(Probe.self) : 0
    while let position = positions.next() {
      if hasProbe, (runStart + position &* strideBytes).read(Probe.self) != probe { continue }
      if matches(at: position) { return position }
    }
    return nil
  }

  private func matches(at position: Int) -> Bool {
    var plane = 0
    while plane < planes {
      guard let runStart = run[plane], let needleStart = needle[plane] else { return false }
      let bytes = needleFrames &* strideBytes
      if timedsp_compare(runStart + position &* strideBytes, needleStart, bytes) != 0 {
        return false
      }
      plane &+= 1
    }
    return true
  }
}
