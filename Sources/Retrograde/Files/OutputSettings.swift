// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The format to write a file in.
///
/// ```swift
/// let settings = OutputSettings(codec: .opus, bitRate: 96_000, replacesExisting: true)
/// try settings.validate(for: output)
/// try await song.reverse(to: output, settings: settings)
/// ```
public struct OutputSettings: Sendable, Equatable {
  /// The type of the file. If nil, the file extension decides.
  public var type: FileType?
  /// The codec. If nil, the type's default codec.
  public var codec: Codec?
  /// Bit rate in bits per second for lossy codecs, 8,000 … 512,000. If nil, the codec's default.
  public var bitRate: Int?
  /// Bits per sample: 16 or 24 for lossless codecs, and also 8 or 32 for PCM. If nil, as many as
  /// the input has. We dither if there are fewer.
  public var bits: Int?
  /// Sample rate in Hz. If nil, the input's rate or the next higher one that the codec supports.
  public var rate: Int?
  /// True if we may replace an existing file.
  public var replacesExisting: Bool
  /// Processes a truncated input as far as we can decode it. If `false`, such an input is an error.
  public var acceptsIncomplete: Bool
  /// Keeps the video unchanged, with the new sound.
  ///
  /// The name of the new file must then end in mp4, m4v, mov, mkv or webm, which overrides
  /// ``type``, and the edit must not change the length of the sound.
  public var keepsVideo: Bool

  /// Creates settings. By default, the name of the file decides the type, and the type decides the
  /// codec.
  public init(
    type: FileType? = nil, codec: Codec? = nil, bitRate: Int? = nil, bits: Int? = nil,
    rate: Int? = nil, replacesExisting: Bool = false, keepsVideo: Bool = false,
    acceptsIncomplete: Bool = false
  ) {
    (self.type, self.codec, self.bitRate) = (type, codec, bitRate)
    (self.bits, self.rate, self.replacesExisting) = (bits, rate, replacesExisting)
    (self.keepsVideo, self.acceptsIncomplete) = (keepsVideo, acceptsIncomplete)
  }
}

// MARK: - Types of files

extension OutputSettings {
  /// The type of a file, which normally follows from its extension.
  ///
  /// ```swift
  /// let type = try await OutputSettings.FileType.same(as: song.information())
  /// print("\(type.rawValue) holds \(type.codecs.map(\.rawValue).joined(separator: ", "))")
  /// ```
  @nonexhaustive
  public enum FileType: String, Sendable, CaseIterable, Codable {
    /// Uncompressed samples, little endian. RF64 above 4 GB.
    case wav
    /// Uncompressed samples, big endian.
    case aiff
    /// Lossless, 16 or 24 bits.
    case flac
    /// Audio in MPEG-4.
    case m4a
    /// MPEG-4 with the extension for videos.
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
      case .wav, .aiff: [.pcm]
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
