// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

extension OutputSettings {
  /// Throws where a file of this name cannot be written with these settings:
  /// the type is not known, or does not hold the codec or the bit rate.
  public func check(for output: URL) throws(RetrogradeError) {
    _ = try Encoding(self, for: output)
  }
}

/// The end of a pipeline: what turns samples into the bytes of a file.
struct Encoding {
  let type: OutputType
  let codec: Codec
  let bitRate: Int?

  /// Throws with a sentence where the type, the codec and the rate do not fit.
  init(_ settings: OutputSettings, for url: URL) throws(RetrogradeError) {
    guard let type = settings.type ?? OutputType(extension: url.pathExtension) else {
      let known = OutputType.allCases.map(\.rawValue).joined(separator: ", ")
      throw RetrogradeError(
        .outputUnsupported,
        "\(url.lastPathComponent): its type is not known; let the name end in one of: \(known).")
    }
    guard let codec = settings.codec ?? type.codecs.first, type.codecs.contains(codec) else {
      let known = type.codecs.map(\.rawValue).joined(separator: ", ")
      throw RetrogradeError(
        .outputUnsupported,
        "\(type.rawValue) cannot hold \(settings.codec?.rawValue ?? "that"); choose one of: \(known)."
      )
    }
    self.type = type
    self.codec = codec
    bitRate = settings.bitRate
    try checkBitRate()
  }

  private func checkBitRate() throws(RetrogradeError) {
    guard let bitRate else { return }
    guard !codec.isLossless else {
      throw RetrogradeError(
        .invalidArgument, "\(codec.rawValue) is lossless and takes no bit rate; leave it out.")
    }
    guard (8_000...512_000).contains(bitRate) else {
      throw RetrogradeError(
        .invalidArgument, "A bit rate must be from 8 to 512 kbit/s; choose another.")
    }
  }

  /// What stands between raw audio and the sink. Formats and rates that the
  /// encoder does not take are converted in front of it.
  func elements(for input: AudioInformation) throws(RetrogradeError) -> String {
    var parts = ["audioconvert", "audioresample quality=10"]
    if let format = sampleFormat(for: input) { parts.append("audio/x-raw,format=\(format)") }
    if let encoder = try encoder() { parts.append(encoder) }
    if let muxer { parts.append(muxer) }
    return parts.joined(separator: " ! ")
  }
}

// MARK: - Which elements

extension Encoding {
  private func encoder() throws(RetrogradeError) -> String? {
    switch codec {
    case .pcm: nil
    case .flac: "flacenc"
    case .alac: "avenc_alac"
    case .aac: "\(try aacEncoder()) ! aacparse"
    case .mp3: "lamemp3enc \(lameTarget)"
    case .vorbis: "vorbisenc " + (bitRate.map { "bitrate=\($0)" } ?? "quality=0.6")
    case .opus: "opusenc bitrate=\(bitRate ?? 160_000)"
    }
  }

  /// The first that is installed, best first.
  private func aacEncoder() throws(RetrogradeError) -> String {
    try GStreamer.start()
    for encoder in ["fdkaacenc", "avenc_aac", "voaacenc"] where GStreamer.has(encoder) {
      return "\(encoder) bitrate=\(bitRate ?? 192_000)"
    }
    throw RetrogradeError(
      .elementMissing,
      "GStreamer has no AAC encoder; install gstreamer1.0-libav, or choose another type.")
  }

  private var lameTarget: String {
    guard let bitRate else { return "target=quality quality=2" }
    return "target=bitrate bitrate=\(min(bitRate / 1000, 320))"
  }

  private var muxer: String? {
    switch type {
    case .wav: "wavenc"
    case .aiff: "aiffmux"
    case .flac: nil
    case .m4a, .mp4: "mp4mux"
    case .mp3: "xingmux ! id3v2mux"
    case .ogg, .opus: codec == .flac ? "flacparse ! oggmux" : "oggmux"
    case .mka: "matroskamux"
    }
  }
}

// MARK: - Which sample format

extension Encoding {
  /// The format that loses nothing, or least, of the input's; nil leaves the
  /// choice to a lossy encoder.
  func sampleFormat(for input: AudioInformation) -> String? {
    let samples = SampleFormat(input.sampleFormat)
    switch (codec, type) {
    case (.flac, _): return samples.isFloat ? "S24LE" : Self.signed(min(samples.bits, 24)) + "LE"
    case (.alac, _): return samples.isFloat || samples.bits > 16 ? "S32LE" : "S16LE"
    case (.pcm, .aiff): return samples.isFloat ? "S32BE" : Self.signed(samples.bits) + "BE"
    case (.pcm, _):
      if samples.isFloat { return samples.bits > 32 ? "F64LE" : "F32LE" }
      return samples.bits <= 8 ? "U8" : Self.signed(samples.bits) + "LE"
    default: return nil
    }
  }

  /// The next larger of the usual sizes.
  private static func signed(_ bits: Int) -> String {
    bits <= 16 ? "S16" : bits <= 24 ? "S24" : "S32"
  }
}

/// What the name of one of GStreamer's raw formats says ("S24_32LE", "F32BE").
struct SampleFormat: Equatable {
  var isFloat: Bool
  /// Those that count: 24 for S24_32LE.
  var bits: Int

  init(_ name: String) {
    isFloat = name.hasPrefix("F")
    bits = Int(name.dropFirst().prefix { $0.isNumber }) ?? 32
  }
}
