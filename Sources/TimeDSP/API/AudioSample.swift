// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// A sample type that we can process: `Int16`, `Int32`, `Float` or `Double`.
///
/// Full scale is the whole range of integers, and -1 … 1 for `Float` and `Double`, but their
/// samples may exceed it. You can't make other types conform, because only this module can create
/// the identifier that a type needs.
public protocol AudioSample: BitwiseCopyable, Sendable {
  /// Tells the signal processing code which type this is.
  static var coding: AudioSampleCoding<Self> { get }
}

/// An opaque identifier of one ``AudioSample`` type. You never need to look inside.
public struct AudioSampleCoding<Sample>: Sendable {
  let format: TimeDSPFormat
}

extension Int16: AudioSample {
  public static var coding: AudioSampleCoding<Int16> { AudioSampleCoding(format: TIMEDSP_S16) }
}

extension Int32: AudioSample {
  public static var coding: AudioSampleCoding<Int32> { AudioSampleCoding(format: TIMEDSP_S32) }
}

extension Float: AudioSample {
  public static var coding: AudioSampleCoding<Float> { AudioSampleCoding(format: TIMEDSP_F32) }
}

extension Double: AudioSample {
  public static var coding: AudioSampleCoding<Double> { AudioSampleCoding(format: TIMEDSP_F64) }
}
