// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

/// A sample type that the signal processing supports: `Int16`, `Int32`, `Float` or `Double`.
///
/// The full scale of integers is their whole range. The full scale of `Float` and `Double` is -1 …
/// 1, and samples may exceed it. No other type can conform, because only this module can make the
/// identifier of a type.
public protocol AudioSample: BitwiseCopyable, Sendable {
  /// Tells the signal processing which type this is.
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
