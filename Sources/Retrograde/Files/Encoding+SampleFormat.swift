// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Encoding {
  /// The sample format that loses as little of the input as possible, or nil to let a lossy encoder
  /// choose.
  func sampleFormat(for input: AudioInformation) -> String? {
    var samples = input.samples
    if let bits { samples = SampleFormat("S\(bits)") }
    switch (codec, type) {
    case (.flac, _): return samples.isFloat ? "S24LE" : Self.signed(min(samples.bits, 24)) + "LE"
    case (.alac, _): return samples.isFloat || samples.bits > 16 ? "S32LE" : "S16LE"
    case (.pcm, .aiff) where bits == 8: return "S8"
    case (.pcm, .aiff): return samples.isFloat ? "S32BE" : Self.signed(samples.bits) + "BE"
    case (.pcm, _):
      if samples.isFloat { return samples.bits > 32 ? "F64LE" : "F32LE" }
      return samples.bits <= 8 ? "U8" : Self.signed(samples.bits) + "LE"
    default: return nil
    }
  }

  /// True if samples beyond full scale clip because the encoder takes integers, as for MP3 and
  /// Opus. The AAC and Vorbis encoders take floats.
  func clips(_ input: AudioInformation) -> Bool {
    guard let format = sampleFormat(for: input) else { return codec == .mp3 || codec == .opus }
    return !SampleFormat(format).isFloat
  }

  /// The smallest signed format with at least this many bits, up to 32, without its endianness.
  private static func signed(_ bits: Int) -> String {
    bits <= 16 ? "S16" : bits <= 24 ? "S24" : "S32"
  }
}

extension AudioInformation {
  var floatFormat: String {
    samples.bits > (samples.isFloat ? 32 : 24) ? "F64LE" : "F32LE"
  }

  var samples: SampleFormat {
    var samples = SampleFormat(sampleFormat)
    if let sampleBits { samples.bits = sampleBits }
    return samples
  }
}

/// The properties of a raw GStreamer format, parsed from its name ("S24_32LE", "F32BE").
struct SampleFormat: Equatable {
  var isFloat: Bool
  /// Significant bits, e.g. 24 for S24_32LE.
  var bits: Int

  /// Size of a sample in memory, e.g. 4 for S24_32LE.
  static func bytes(of name: String) -> Int {
    let digits = name.dropFirst().split(separator: "_").last ?? "32"
    return (Int(digits.prefix { $0.isNumber }, radix: 10) ?? 32) / 8
  }

  init(_ name: String) {
    isFloat = name.hasPrefix("F")
    bits = Int(name.dropFirst().prefix { $0.isNumber }, radix: 10) ?? 32
  }
}
