// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioFile {
  /// Reads the metadata of the file, and makes sure that we can decode it.
  ///
  /// Only decodes the beginning. Throws an error with a sentence for the user if the file is
  /// missing, a folder, empty or protected, or has no audio that GStreamer can decode. If the file
  /// is cut off, ``AudioInformation/missing`` says so, and you may get the duration of the
  /// original. Later calls only read the file again if it has changed.
  public func information() async throws -> AudioInformation {
    if let information = facts.information { return information }
    let state = FileState(of: url)
    var information = try await readInformation()
    if let length = try await chainedLength() { information.duration = length }
    if state == FileState(of: url) {
      known.change { $0.information = information }
    }
    return information
  }

  func readInformation() async throws -> AudioInformation {
    try Task.checkCancellation()
    let missing = try checkFile()
    let links = ByteReader(url)?.oggLinks ?? []
    known.change { $0.links = links.count > 1 ? links : [] }
    if lacksPositions { known.change { $0.channelMask = "0x0" } }
    do {
      return try await readInformation(missing: missing)
    } catch let failure as RetrogradeError {
      throw missing.map(cutOff) ?? failure
    }
  }

  private func readInformation(missing: String?) async throws -> AudioInformation {
    let pipeline = try pipeline("fakesink name=sink")
    await pipeline.request(GST_STATE_PAUSED)
    // If preroll fails, we don't wait for the pipeline to stop, because its threads may be busy
    // with the file for a long time.
    let tags = try await pipeline.preroll(of: self)
    var information = try pipeline.information(tags: tags, of: self)
    information.extras = extras(pipeline, tags)
    information.start = pipeline.start(of: information)
    let parsing = pipeline.bareParsing(in: information.container)
    information.isEstimate =
      information.isLossy && parsing != nil && ByteReader(url)?.declaresFrames != true
    await pipeline.stop()
    let damage =
      if let parsing { try await checkFrames(&information, parsing: parsing) } else { String?.none }
    information.missing = missing ?? damage
    information.bitRate = information.bitRate ?? averageBitRate(of: information)
    return information
  }
}

extension AudioFile {
  /// Nil if the file contains video or its duration is unknown.
  private func averageBitRate(of information: AudioInformation) -> Int? {
    guard let bytes = ByteReader(url)?.count, let seconds = information.duration?.inSeconds,
      seconds > 0, !information.extras.contains(Self.video)
    else { return nil }
    return Int(saturating: Double(max(bytes - information.tags.pictureBytes, 0)) * 8 / seconds)
  }
}

extension AudioFile {
  fileprivate func examine(_ caps: UnsafeMutablePointer<GstCaps>, of format: GstAudioInfo) {
    var mask: guint64 = 0
    let structure = gst_caps_get_structure(caps, 0)
    guard cgst_channel_mask(structure, &mask) != 0, mask != 0,
      mask.nonzeroBitCount != Int(clamping: format.channels)
    else { return }
    known.change { $0.channelMask = format.channels == 2 ? "0x3" : "0x0" }
  }

  /// The declared duration, or nil if it's unknown.
  fileprivate func duration(_ sink: Element) -> Duration? {
    if let edit = ByteReader(url)?.soundEdit {
      return .seconds(saturating: Double(edit.length) / Double(edit.rate))
    }
    if let movie = ByteReader(url)?.shortMovie { return .seconds(saturating: movie.seconds) }
    return sink.duration()
  }
}

extension Pipeline {
  func preroll(
    of file: AudioFile,
    orElse other: @Sendable (PipelineFailure) -> RetrogradeError? = { _ in nil }
  ) async throws -> AudioTags {
    try await wait(reading: file, orElse: other) { if case .asyncDone = $0 { true } else { false } }
  }

  func information(
    tags: AudioTags, of file: AudioFile
  ) throws(RetrogradeError) -> AudioInformation {
    guard let sink = element("sink"), let caps = sink.inputCaps else { throw file.silence }
    defer { gst_caps_unref(caps) }
    guard let format = GstAudioInfo(caps) else { throw file.silence }
    // nil if the file contains raw audio
    let decoder = elements.first { $0.isA("Decoder", "Audio") }
    let codec = decoder?.withPad("sink") { $0.withCaps(DecodedCodec.init) } ?? nil
    file.examine(caps, of: format)
    return AudioInformation(
      duration: file.duration(sink),
      rate: Int(clamping: format.rate),
      channels: Int(clamping: format.channels),
      layout: file.facts.channelMask == nil ? Self.layout(of: format) : [],
      sampleFormat: String(cString: gst_audio_format_to_string(format.format)),
      sampleBits: format.finfo.pointee.depth > 24 ? codec?.bits : nil,
      isLossy: codec.map { !Self.losslessCodecs.contains($0.name) } ?? false,
      container: tags["container-format"],
      codec: tags["audio-codec"] ?? codec?.description ?? "PCM",
      bitRate: (tags["bitrate"] ?? tags["nominal-bitrate"]).flatMap { Int($0, radix: 10) },
      tags: tags.descriptive,
      storage: codec == nil ? .pcm : codec?.storage)
  }

  /// Time of the first frame. Matroska's duration counts from timestamp 0, even if the stream times
  /// begin later.
  fileprivate func start(of information: AudioInformation) -> Duration {
    guard let sink = element("sink"), let sample = gst_base_sink_get_last_sample(cast(sink.pointer))
    else { return .zero }
    defer { gst_sample_unref(sample) }
    guard var time = gst_sample_get_buffer(sample)?.pointee.pts else { return .zero }
    if !information.hasRoundedTimes, let segment = gst_sample_get_segment(sample),
      segment.pointee.format == GST_FORMAT_TIME
    {
      time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, time)
    }
    // some demuxers are a few frames late
    return Duration(time).flatMap { $0 > .milliseconds(10) ? $0 : nil } ?? .zero
  }

  private static let losslessCodecs: Set<String> = [
    "audio/x-flac", "audio/x-alac", "audio/x-wavpack", "audio/x-tta", "audio/x-ape",
    "audio/x-ffmpeg-parsed-ape", "audio/x-shorten", "audio/x-raw",
  ]

  /// In the order of GstAudioChannelPosition.
  private static let positionNames = Dictionary(
    uniqueKeysWithValues: zip(
      [-2] + Array(0...27),
      [
        "M", "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "LFE2", "SL", "SR", "TFL",
        "TFR", "TFC", "TC", "TBL", "TBR", "TSL", "TSR", "TBC", "BFC", "BFL", "BFR", "WL", "WR",
        "LS",
        "RS",
      ]))

  private static func layout(of format: GstAudioInfo) -> [String] {
    guard format.flags.rawValue & GST_AUDIO_FLAG_UNPOSITIONED.rawValue == 0 else { return [] }
    return withUnsafeBytes(of: format.position) { positions in
      positions.bindMemory(to: GstAudioChannelPosition.self).prefix(Int(clamping: format.channels))
        .compactMap { positionNames[Int(clamping: $0.rawValue)] }
    }
  }
}

/// What an audio decoder decodes.
private struct DecodedCodec {
  /// The name of the decoder's input type, and a description of the codec.
  let name, description: String
  let storage: OutputSettings.Codec?
  /// Bits per sample, from the header of FLAC or ALAC, because some decoders extend samples to 32
  /// bits.
  let bits: Int?

  init(_ caps: UnsafeMutablePointer<GstCaps>) {
    name = caps.name
    description = adopt(gst_pb_utils_get_codec_description(caps))
    storage = Self.storage(of: caps)
    let bits = caps.flacBits ?? caps.alacBits ?? 0
    self.bits = bits > 16 && bits < 32 ? bits : nil
  }

  private static func storage(of caps: UnsafeMutablePointer<GstCaps>) -> OutputSettings.Codec? {
    switch caps.name {
    case "audio/x-flac": return .flac
    case "audio/x-alac": return .alac
    case "audio/x-vorbis": return .vorbis
    case "audio/x-opus": return .opus
    case "audio/mpeg":
      var (version, layer) = (gint(0), gint(0))
      gst_structure_get_int(caps.structure, "mpegversion", &version)
      gst_structure_get_int(caps.structure, "layer", &layer)
      return version != 1 ? .aac : layer == 3 ? .mp3 : nil
    default: return nil
    }
  }
}

extension UnsafeMutablePointer<GstCaps> {
  /// STREAMINFO comes after 17 bytes if the header is for Ogg. Its last eight bytes before the
  /// checksum are 20 bits for the rate, 3 for the channels, 5 for the bits per sample, and 36 for the
  /// number of frames (RFC 9639, section 8.2).
  fileprivate var flacBits: Int? {
    guard name == "audio/x-flac", let header = streamHeader else { return nil }
    return ByteReader(header.bytes(atMost: 35)).all.number(at: 29, count: 2).map {
      ($0 >> 4 & 31) + 1
    }
  }

  /// The `alac` box has a header of 12 bytes, and the bits per sample are at offset 5 after it.
  fileprivate var alacBits: Int? {
    guard name == "audio/x-alac" else { return nil }
    let bytes = gst_structure_get_value(structure, "codec_data")?.buffer?.bytes(atMost: 18) ?? []
    return bytes.count == 18 ? Int(clamping: bytes[17]) : nil
  }
}
