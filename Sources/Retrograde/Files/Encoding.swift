// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials

extension OutputSettings {
  /// Throws if we can't write a file with this name and these settings, because its type is unknown
  /// or doesn't support the codec or the bit rate.
  public func validate(for output: URL) throws(RetrogradeError) {
    _ = try Encoding(self, for: output)
  }
}

/// The last part of a pipeline: it encodes samples and writes the file.
struct Encoding {
  let type: OutputSettings.FileType
  /// The container if we keep the video, or else nil.
  let video: VideoContainer?
  let codec: OutputSettings.Codec
  let bitRate: Int?
  /// True for a WAV above 4 GB, which has to become an RF64.
  var isLong = false
  let bits, rate: Int?

  /// Throws if the type, codec and rate don't go together.
  init(_ settings: OutputSettings, for url: URL) throws(RetrogradeError) {
    let video = try settings.keepsVideo ? VideoContainer(for: url) : nil
    guard
      let type = video?.type ?? settings.type
        ?? OutputSettings.FileType(extension: FilePath(url).fileExtension)
    else {
      let known = OutputSettings.FileType.allCases.map(\.rawValue).joined(separator: ", ")
      throw RetrogradeError(
        .outputUnsupported,
        "\(FilePath(url).name): unknown file type; choose a name that ends in one of: \(known).")
    }
    let codecs = video?.codecs ?? type.codecs
    guard let codec = settings.codec ?? codecs.first, codecs.contains(codec) else {
      let known = codecs.map(\.rawValue).joined(separator: ", ")
      throw RetrogradeError(
        .outputUnsupported,
        "\(video?.rawValue ?? type.rawValue) cannot hold \(settings.codec?.rawValue ?? "that"); choose one of: \(known)."
      )
    }
    self.type = type
    self.video = video
    self.codec = codec
    (bitRate, bits, rate) = (settings.bitRate, settings.bits, settings.rate)
    try checkBitRate()
    try checkSamples()
  }

  private func checkBitRate() throws(RetrogradeError) {
    guard let bitRate else { return }
    try require(
      !codec.isLossless, "\(codec.rawValue) is lossless and has no bit rate; leave it out.")
    try require(
      (8_000...512_000).contains(bitRate),
      "A bit rate must be from 8 to 512 kbit/s; choose another.")
  }

  private func checkSamples() throws(RetrogradeError) {
    let (sizes, rates) = (codec.limits.bits, codec.limits.rates ?? [])
    if let bits, !sizes.contains(bits) {
      let known = sizes.map(String.init).joined(separator: ", ")
      throw RetrogradeError.invalid(
        sizes.isEmpty
          ? "\(codec.rawValue) is lossy and has no bit depth; leave it out."
          : "\(codec.rawValue) does not support \(bits)-bit samples; choose one of: \(known).")
    }
    guard let rate else { return }
    guard rates.isEmpty || rates.contains(rate) else {
      let known = rates.map(String.init).joined(separator: ", ")
      throw RetrogradeError.invalid(
        "\(codec.rawValue) does not support a sample rate of \(rate) Hz; choose one of: \(known).")
    }
    try require(
      (1000...384_000).contains(rate),
      "A sample rate must be from 1000 to 384000 Hz; choose another.")
  }

  /// Elements that convert to the encoder's channels and rate, and multiply samples by
  /// `amplification`. If `edit` or these elements change samples, we carry on in floats, which can
  /// exceed full scale.
  func shaping(of input: AudioInformation, _ edit: AudioEdit, amplification: Float) -> [String] {
    let channels = edit.channels.count(of: input)
    let (count, rate) = (min(channels, maxChannels), rate(for: input))
    let areChanged =
      edit.isScaled || !edit.effects.isEmpty || count != channels || rate != input.rate
    let areFloats = areChanged || input.samples.isFloat
    let format =
      edit.changesLevel || amplification != 1
      ? "F64LE" : areFloats ? input.floatFormat : input.sampleFormat
    return [
      "audioconvert dithering=none",
      "audio/x-raw,layout=interleaved,channels=\(count),format=\(format)",
      "audioresample quality=10", "audio/x-raw,rate=\(rate)",
    ]
      + (amplification == 1
        ? [] : ["audioamplify clipping-method=none amplification=\(amplification)"])
      + (edit.fades ? ["volume name=fade"] : [])
  }

  /// The limiter to apply to the output of ``shaping(of:_:amplification:)``, if the edit needs one.
  func limiter(of input: AudioInformation, _ edit: AudioEdit) -> PeakLimiter? {
    guard edit.peaks == .limited, clips(input) else { return nil }
    let channels = min(edit.channels.count(of: input), maxChannels)
    return PeakLimiter(rate: rate(for: input), channels: channels)
  }

  /// Elements from the output of ``shaping(of:_:amplification:)`` to the sink. The first one is
  /// named "quantizer".
  func elements(for input: AudioInformation, channels: Int) -> String {
    // GStreamer 1.22's audioconvert dithers planar samples even if no bits are lost
    let isShortened = bits.map { $0 < input.samples.bits || input.samples.isFloat } ?? false
    let dithering = codec.isLossless && !isShortened ? "none" : "tpdf"
    var parts = ["audioconvert name=quantizer dithering=\(dithering)"]
    if let format = sampleFormat(for: input) { parts.append("audio/x-raw,format=\(format)") }
    if let encoder = encoder(channels: channels) { parts.append(encoder) }
    if let muxer = muxer(for: input) { parts.append(muxer) }
    return parts.joined(separator: " ! ")
  }
}

// MARK: - Elements

extension Encoding {
  static let encoderName = "encoder"

  private func encoder(channels: Int) -> String? {
    let channels = min(channels, maxChannels)
    return switch codec {
    case .pcm: nil
    case .flac: "\(flacOrder(channels))flacenc name=encoder"
    case .alac: "avenc_alac name=encoder"
    // voaacenc loses the last packet
    case .aac: "avenc_aac name=encoder bitrate=\(bitRate ?? 96_000 * channels) ! aacparse"
    case .mp3: "lamemp3enc name=encoder \(lameTarget)"
    case .vorbis: "vorbisenc name=encoder \(vorbisTarget(channels: channels))"
    case .opus: "opusenc name=encoder bitrate=\(bitRate ?? min(80_000 * channels, 512_000))"
    }
  }

  /// For 7 and 8 channels, GStreamer's flacenc expects the rear channels before the centre, and
  /// writes them to the file in that order. We undo that here.
  private func flacOrder(_ channels: Int) -> String {
    guard channels > 6 else { return "" }
    let order = [0, 1, 4, 5, 2, 3, 6, 7].prefix(channels)
    let rows = order.map { from in
      "<" + (0..<channels).map { $0 == from ? "(float)1" : "(float)0" }.joined(separator: ", ")
        + ">"
    }
    return "audioconvert dithering=none mix-matrix=\"<\(rows.joined(separator: ", "))>\" "
      + "! audio/x-raw,channels=\(channels),channel-mask=(bitmask)"
      + "\(channels == 7 ? "0x13f" : "0xc3f") ! "
  }

  private var lameTarget: String {
    guard let bitRate else { return "target=quality quality=2" }
    return "target=bitrate cbr=true bitrate=\(min(bitRate / 1000, 320))"
  }

  /// The Vorbis encoder doesn't accept bit rates above 250 kbit/s, but you can get them by setting
  /// a quality. The table has the bit rates for libvorbis' qualities 0, 0.1 … 1 for stereo at 44.1
  /// and 48 kHz, in kbit/s per channel.
  private func vorbisTarget(channels: Int) -> String {
    guard let bitRate else { return "quality=0.6" }
    guard bitRate > 250_000 else { return "bitrate=\(bitRate)" }
    let rates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 250]
    let wanted = Double(bitRate) / 1000 / Double(max(channels, 1))
    let next = rates.firstIndex { Double($0) >= wanted } ?? 10
    return "quality=\(Double(next) / 10)"
  }

  private func muxer(for input: AudioInformation) -> String? {
    if let video { return "\(video.muxer(rate: rate(for: input))) name=muxer" }
    return switch type {
    // we write the headers of an RF64 ourselves (`complete`)
    case .wav: isLong ? nil : "wavenc"
    case .aiff: "aiffmux"
    case .flac: nil
    // the default time scale would round the duration
    case .m4a, .mp4: "mp4mux movie-timescale=\(rate(for: input))"
    // id3v2mux doesn't add a Xing header, because we write the first MP3 frame last, once all the
    // others are there
    case .mp3: "id3v2mux"
    case .ogg, .opus: codec == .flac ? "flacparse ! oggmux" : "oggmux"
    case .mka: "matroskamux"
    }
  }

  /// The silence that the encoder adds before the sound, in frames, or 0 if the muxer can't declare
  /// it to players. The muxer works out the length from the packets' timestamps.
  var delay: Int { codec == .aac && (type == .m4a || type == .mp4) ? 1024 : 0 }
}

// MARK: - Rate and channels

extension Encoding {
  /// The rate that you asked for. Otherwise, the lowest one the codec supports that isn't below the
  /// input's.
  func rate(for input: AudioInformation) -> Int {
    if let rate { return rate }
    guard let rates = codec.limits.rates else { return input.rate }
    return rates.first { $0 >= input.rate } ?? rates.last ?? input.rate
  }

  var maxChannels: Int { codec.limits.channels }
}

extension OutputSettings.Codec {
  /// Bits per sample that you can choose, the sample rates unless all are possible, and the maximum
  /// number of channels.
  fileprivate var limits: (bits: [Int], rates: [Int]?, channels: Int) {
    switch self {
    case .pcm: ([8, 16, 24, 32], nil, 65_535)
    case .flac: ([16, 24], nil, 8)
    case .alac: ([16, 24], nil, 2)  // GStreamer's; the format has up to 8
    case .aac: ([], Self.mp3Rates + [64_000, 88_200, 96_000], 6)
    case .mp3: ([], Self.mp3Rates, 2)
    case .vorbis: ([], nil, 8)
    case .opus: ([], [8_000, 12_000, 16_000, 24_000, 48_000], 8)
    }
  }

  private static let mp3Rates = [
    8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000,
  ]
}
