// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How the audio of a stream lies in memory.
struct AudioShape {
  let format: TimeDSPFormat
  let channels: Int
  /// Arrays that hold the audio: 1 if interleaved, or else one per channel.
  let planes: Int
  /// Samples that lie together in each plane for every frame.
  let samplesPerFrame: Int
  /// The size of a frame in one plane.
  let frameBytes: Int

  /// Refuses values outside of the enumerations, and too few or too many channels.
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

  /// Whether audio of `other` lies in memory as this does.
  func isSame(as other: AudioShape) -> Bool {
    format == other.format && channels == other.channels && planes == other.planes
  }

  /// Bytes of the numbers that kernels are multiplied in (`Sample.Real`).
  var realBytes: Int {
    format == TIMEDSP_S16 || format == TIMEDSP_F32
      ? MemoryLayout<Int16.Real>.stride : MemoryLayout<Int32.Real>.stride
  }

  /// The plane that a channel is in, and its place in the frames there.
  @inline(__always)
  func plane(of channel: Int) -> Int { planes == 1 ? 0 : channel }
  @inline(__always)
  func place(of channel: Int) -> Int { planes == 1 ? channel : 0 }
}

extension TimeDSPFormat {
  /// The size of a sample; `nil` for a number from C that is no format.
  fileprivate var sampleBytes: Int? {
    switch self {
    case TIMEDSP_S16: 2
    case TIMEDSP_S32, TIMEDSP_F32: 4
    case TIMEDSP_F64: 8
    default: nil
    }
  }
}
