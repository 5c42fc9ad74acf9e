// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Searches a run for the exact bytes of a needle, a short piece of a neighbouring run, at least
/// one frame long.
struct RunSearch {
  /// The first plane of the run, and below that of the needle.
  let run: UnsafeRawPointer
  let needle: UnsafeRawPointer
  let runPlaneBytes: Int
  let needlePlaneBytes: Int
  let planes: Int
  let strideBytes: Int
  let needleFrames: Int

  func firstMatch(in positions: SearchPositions) -> Int? {
    var positions = positions
    // most positions differ in their first bytes, and one load finds that faster than a call
    typealias Probe = UInt64
    let hasProbe = needleFrames &* strideBytes >= MemoryLayout<Probe>.size
    let probe = hasProbe ? needle.read(Probe.self) : 0
    while let position = positions.next() {
      let start = run + position &* strideBytes
      if hasProbe, start.read(Probe.self) != probe { continue }
      if matches(start) { return position }
    }
    return nil
  }

  private func matches(_ start: UnsafeRawPointer) -> Bool {
    for plane in upTo(planes) {
      let (one, other) = (start + plane &* runPlaneBytes, needle + plane &* needlePlaneBytes)
      if timedsp_compare(one, other, needleFrames &* strideBytes) != 0 { return false }
    }
    return true
  }
}
