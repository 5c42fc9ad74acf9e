// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A stream's format, and how its frames lie in memory.
struct AudioShape {
  let format: TimeDSPFormat
  let channels: Int
  /// 1 if interleaved, otherwise one per channel.
  let planes: Int
  /// In one plane.
  let samplesPerFrame: Int
  /// In one plane.
  let frameBytes: Int

  /// Throws for an unknown format or layout, or too many channels or none.
  init(_ config: TimeDSPConfig) throws(TimeDSPStatus) {
    guard let sampleBytes = config.format.sampleBytes,
      config.layout == TIMEDSP_INTERLEAVED || config.layout == TIMEDSP_PLANAR
    else { throw TIMEDSP_BAD_FORMAT }
    guard config.channels >= 1, config.channels <= UInt32(TIMEDSP_MAX_CHANNELS) else {
      throw TIMEDSP_BAD_CHANNELS
    }
    channels = Int(truncatingIfNeeded: config.channels)
    let isPlanar = config.layout == TIMEDSP_PLANAR
    format = config.format
    planes = isPlanar ? channels : 1
    samplesPerFrame = isPlanar ? 1 : channels
    frameBytes = samplesPerFrame &* sampleBytes
  }

  func isSame(as other: AudioShape) -> Bool {
    format == other.format && channels == other.channels && planes == other.planes
  }

  var realBytes: Int {
    format == TIMEDSP_S16 || format == TIMEDSP_F32
      ? MemoryLayout<Int16.Real>.stride : MemoryLayout<Int32.Real>.stride
  }

  @inline(__always)
  func plane(of channel: Int) -> Int { planes == 1 ? 0 : channel }
  /// In a frame of its plane.
  @inline(__always)
  func sampleOffset(of channel: Int) -> Int { planes == 1 ? channel : 0 }
}

extension TimeDSPFormat {
  /// `nil` if C code passed an unknown format.
  fileprivate var sampleBytes: Int? {
    switch self {
    case TIMEDSP_S16: 2
    case TIMEDSP_S32, TIMEDSP_F32: 4
    case TIMEDSP_F64: 8
    default: nil
    }
  }
}
