// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The memory layout of the audio of a stream.
struct AudioShape {
  let format: TimeDSPFormat
  let channels: Int
  /// Number of arrays: 1 if interleaved, otherwise one per channel.
  let planes: Int
  /// Number of samples of a frame in each plane.
  let samplesPerFrame: Int
  /// The size of a frame in one plane, in bytes.
  let frameBytes: Int

  /// Throws if a value is not in its enumeration, or if the number of channels is out of range.
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

  /// Size of a `Sample.Real` in bytes. Samples are multiplied by kernels in this type.
  var realBytes: Int {
    format == TIMEDSP_S16 || format == TIMEDSP_F32
      ? MemoryLayout<Int16.Real>.stride : MemoryLayout<Int32.Real>.stride
  }

  /// The plane that contains `channel`.
  @inline(__always)
  func plane(of channel: Int) -> Int { planes == 1 ? 0 : channel }
  /// Index of `channel` in the frames of its plane.
  @inline(__always)
  func sampleOffset(of channel: Int) -> Int { planes == 1 ? channel : 0 }
}

extension TimeDSPFormat {
  /// The size of a sample in bytes; `nil` if a number from C is not a format.
  fileprivate var sampleBytes: Int? {
    switch self {
    case TIMEDSP_S16: 2
    case TIMEDSP_S32, TIMEDSP_F32: 4
    case TIMEDSP_F64: 8
    default: nil
    }
  }
}
