// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The format of a stream, and the layout of its frames in memory.
struct AudioShape {
  let format: TimeDSPFormat
  let channels: Int
  /// Number of planes (arrays of samples): 1 if interleaved, otherwise one per channel.
  let planes: Int
  /// Number of samples that a frame has in one plane.
  let samplesPerFrame: Int
  /// The size of a frame in one plane, in bytes.
  let frameBytes: Int

  /// Throws if format or layout is unknown, or if the number of channels is out of range.
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

  /// Whether `other` has the same format, layout and number of channels.
  func isSame(as other: AudioShape) -> Bool {
    format == other.format && channels == other.channels && planes == other.planes
  }

  /// Size in bytes of the type in which samples are multiplied by kernels (`Sample.Real`).
  var realBytes: Int {
    format == TIMEDSP_S16 || format == TIMEDSP_F32
      ? MemoryLayout<Int16.Real>.stride : MemoryLayout<Int32.Real>.stride
  }

  @inline(__always)
  func plane(of channel: Int) -> Int { planes == 1 ? 0 : channel }
  /// Index of `channel` in a frame of its plane.
  @inline(__always)
  func sampleOffset(of channel: Int) -> Int { planes == 1 ? channel : 0 }
}

extension TimeDSPFormat {
  /// The size of a sample in bytes; `nil` if C code passed an unknown format.
  fileprivate var sampleBytes: Int? {
    switch self {
    case TIMEDSP_S16: 2
    case TIMEDSP_S32, TIMEDSP_F32: 4
    case TIMEDSP_F64: 8
    default: nil
    }
  }
}
