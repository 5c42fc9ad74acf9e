// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The format in which a file is written.
///
/// ```swift
/// let settings = OutputSettings(codec: .opus, bitRate: 96_000, replacesExisting: true)
/// try settings.validate(for: output)
/// try await song.reverse(to: output, settings: settings)
/// ```
public struct OutputSettings: Sendable, Equatable {
  /// The type of the file. With nil, the extension of the file name decides.
  public var type: FileType?
  /// The codec. With nil, you get the default codec of the type.
  public var codec: Codec?
  /// Bit rate in bits per second, 8,000 … 512,000, for lossy codecs. With nil, you get the default
  /// of the codec.
  public var bitRate: Int?
  /// Bits per sample: 16 or 24 for lossless codecs, and also 8 or 32 for PCM. With nil, the output
  /// has the bits of the input. We dither a reduction.
  public var bits: Int?
  /// Sample rate in Hz. With nil, it's the rate of the input, or the next higher one that the codec
  /// supports.
  public var rate: Int?
  /// Allows us to replace an existing file.
  public var replacesExisting: Bool
  /// Processes an input that's cut off, as far as we can decode it. If it's `false`, such an input
  /// is an error.
  public var acceptsIncomplete: Bool
  /// Keeps the video unchanged, with the new sound.
  ///
  /// The name of the new file must then end in mp4, m4v, mov, mkv or webm, which overrides
  /// ``type``, and the edit must not change the length of the sound.
  public var keepsVideo: Bool
  /// The number of pipelines that decode a file in parallel if you reverse or scale it. The number
  /// doesn't change the new file.
  ///
  /// If decoding is slow, as for Opus, and CPU cores are idle, more than one helps. Each pipeline
  /// keeps 16 MiB or 20 s of decoded sound in memory, whichever is more, for files of any length.
  public var decoders: Int

  /// Creates settings. By default, the name of the file implies its type, and the type its default
  /// codec.
  public init(
    type: FileType? = nil, codec: Codec? = nil, bitRate: Int? = nil, bits: Int? = nil,
    rate: Int? = nil, replacesExisting: Bool = false, keepsVideo: Bool = false,
    acceptsIncomplete: Bool = false, decoders: Int = 1
  ) {
    self.type = type
    self.codec = codec
    self.bitRate = bitRate
    self.bits = bits
    self.rate = rate
    self.replacesExisting = replacesExisting
    self.keepsVideo = keepsVideo
    self.acceptsIncomplete = acceptsIncomplete
    self.decoders = decoders
  }
}

// MARK: - Types of files

extension OutputSettings {
  /// The type of a file, implied by the extension of its name.
  ///
  /// ```swift
  /// let type = try await OutputSettings.FileType.same(as: song.information())
  /// print("\(type.rawValue) holds \(type.codecs.map(\.rawValue).joined(separator: ", "))")
  /// ```
  @nonexhaustive
  public enum FileType: String, Sendable, CaseIterable, Codable {
    /// Uncompressed samples, little endian. RF64 above 4 GB.
    case wav
    /// Sony Wave64: uncompressed samples, little endian, of any length, without tags.
    case w64
    /// Uncompressed samples, big endian.
    case aiff
    /// Lossless, 16 or 24 bits.
    case flac
    /// Audio in MPEG-4.
    case m4a
    /// MPEG-4 with the extension of videos.
    case mp4
    /// MPEG-1 layer 3, with ID3 tags.
    case mp3
    /// Ogg, with Vorbis by default.
    case ogg
    /// Opus in Ogg.
    case opus
    /// Matroska, which supports nearly every codec.
    case mka

    /// The type of files with this extension, or nil if we don't know it.
    public init?(extension name: String) {
      switch name.lowercased() {
      case "wave": self = .wav
      case "aif", "aifc": self = .aiff
      case "oga": self = .ogg
      case let name: self.init(rawValue: name)
      }
    }

    /// The codecs that this type supports. The first one is the default.
    public var codecs: [Codec] {
      switch self {
      case .wav, .w64, .aiff: [.pcm]
      case .flac: [.flac]
      case .m4a, .mp4: [.aac, .alac]
      case .mp3: [.mp3]
      case .ogg: [.vorbis, .opus, .flac]
      case .opus: [.opus]
      case .mka: [.flac, .pcm, .opus, .vorbis, .aac, .mp3]
      }
    }
  }

  /// The codec of the samples.
  ///
  /// ```swift
  /// let lossless = OutputSettings.Codec.allCases.filter(\.isLossless)
  /// ```
  @nonexhaustive
  public enum Codec: String, Sendable, CaseIterable, Codable {
    /// Uncompressed samples.
    case pcm
    /// Free Lossless Audio Codec.
    case flac
    /// Apple Lossless.
    case alac
    /// MPEG-4 AAC.
    case aac
    /// MPEG-1 layer 3.
    case mp3
    /// Vorbis.
    case vorbis
    /// Opus, always at 48 kHz.
    case opus

    /// True if decoding returns exactly the encoded samples.
    public var isLossless: Bool {
      switch self {
      case .pcm, .flac, .alac: true
      case .aac, .mp3, .vorbis, .opus: false
      }
    }
  }
}
