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
  /// Converts interleaved samples to `Double` values with a full scale of 1, or back.
  let convert: TimeBlocksConvert
}

extension Int16: AudioSample {
  public static var coding: AudioSampleCoding<Int16> {
    AudioSampleCoding(format: TIMEDSP_S16) { format, toNumbers, samples, _, numbers, frames in
      exchange(
        samples, numbers, count(format, frames), toNumbers,
        { (sample: Int16) in Double(sample) / 0x8000 }, { Int16(clamping: steps($0 * 0x8000)) })
    }
  }
}

extension Int32: AudioSample {
  public static var coding: AudioSampleCoding<Int32> {
    AudioSampleCoding(format: TIMEDSP_S32) { format, toNumbers, samples, _, numbers, frames in
      exchange(
        samples, numbers, count(format, frames), toNumbers,
        { (sample: Int32) in Double(sample) / 0x8000_0000 },
        { Int32(clamping: steps($0 * 0x8000_0000)) })
    }
  }
}

extension Float: AudioSample {
  public static var coding: AudioSampleCoding<Float> {
    AudioSampleCoding(format: TIMEDSP_F32) { format, toNumbers, samples, _, numbers, frames in
      exchange(
        samples, numbers, count(format, frames), toNumbers,
        { (sample: Float) in Double(sample) }, { Float($0) })
    }
  }
}

extension Double: AudioSample {
  public static var coding: AudioSampleCoding<Double> {
    AudioSampleCoding(format: TIMEDSP_F64) { format, toNumbers, samples, _, numbers, frames in
      exchange(
        samples, numbers, count(format, frames), toNumbers, { (sample: Double) in sample }, { $0 })
    }
  }
}

private func count(_ format: UnsafePointer<TimeBlocksFormat>?, _ frames: Int) -> Int {
  frames &* Int(format?.pointee.channels ?? 0)
}

/// Clamped to 32 bits, and 0 for NaN.
private func steps(_ number: Double) -> Int64 {
  number.isNaN ? 0 : Int64(min(max(number, -0x8000_0000), 0x7FFF_FFFF).rounded())
}

private func exchange<Sample>(
  _ samples: UnsafeMutableRawPointer?, _ numbers: UnsafeMutablePointer<Double>?, _ count: Int,
  _ toNumbers: Int32, _ number: (Sample) -> Double, _ sample: (Double) -> Sample
) {
  guard let samples = samples?.assumingMemoryBound(to: Sample.self), let numbers else { return }
  for index in 0..<max(count, 0) {
    if toNumbers != 0 {
      numbers[index] = number(samples[index])
    } else {
      samples[index] = sample(numbers[index])
    }
  }
}
