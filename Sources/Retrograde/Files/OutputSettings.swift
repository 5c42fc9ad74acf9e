// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The format in which a file is written.
///
/// ```swift
/// let settings = OutputSettings(codec: .opus, bitRate: 96_000, replacesExisting: true)
/// try settings.validate(for: output)
/// try await song.reverse(to: output, settings: settings).finish()
/// ```
public struct OutputSettings: Sendable, Equatable {
  /// The type of the file, or nil derives it from the extension of the file name.
  public var type: FileType?
  /// The codec, or nil chooses the default codec of the type.
  public var codec: Codec?
  /// Bit rate in bits per second, 8,000 … 512,000, for lossy codecs, or nil chooses the default of
  /// the codec.
  public var bitRate: Int?
  /// Bits per sample: 16 or 24 for lossless codecs, also 8 or 32 for PCM, or nil keeps the bits of
  /// the input. A reduction is dithered.
  public var bits: Int?
  /// Sample rate in Hz, or nil keeps the rate of the input, or chooses the next higher one that the
  /// codec supports.
  public var rate: Int?
  /// Whether an existing file may be replaced.
  public var replacesExisting: Bool
  /// Whether an input that is cut off is processed as far as it can be decoded. Otherwise, it is an
  /// error.
  public var acceptsIncomplete: Bool
  /// Whether the pictures of a film are kept unchanged, with the new sound.
  ///
  /// The name of the new file must then end in mp4, m4v, mov, mkv or webm, which overrides
  /// ``type``, and the edit must not change the length of the sound.
  public var keepsVideo: Bool
  /// The number of pipelines that decode a file in parallel if it is reversed or scaled. The number
  /// does not change the new file.
  ///
  /// More than one helps if decoding is slow, as for Opus, and processor cores are idle. Each
  /// pipeline holds 16 MiB or 20 s of decoded sound in memory, whichever is more, for files of any
  /// length.
  public var decoders: Int

  /// Creates settings. By default, a file has the type that its name implies, and the default codec
  /// of that type.
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
    /// MPEG-4 with the extension of films.
    case mp4
    /// MPEG-1 layer 3, with ID3 tags.
    case mp3
    /// Ogg, with Vorbis by default.
    case ogg
    /// Opus in Ogg.
    case opus
    /// Matroska, which supports nearly every codec.
    case mka

    /// The type of files with this extension, or nil if it is unknown.
    public init?(extension name: String) {
      switch name.lowercased() {
      case "wave": self = .wav
      case "aif", "aifc": self = .aiff
      case "oga": self = .ogg
      case let name: self.init(rawValue: name)
      }
    }

    /// The type that applications of AVFoundation write for input with this extension. Compressed
    /// audio becomes M4A, because that framework writes few types. A type that AVFoundation does
    /// not know, such as Ogg, is kept, and an unknown extension becomes WAV. ``same(as:)`` loses
    /// less.
    public static func avFoundation(forInput extension: String) -> FileType {
      switch `extension`.lowercased() {
      case "aac", "m4a", "mp3", "m4r", "flac": .m4a
      case "mp4": .mp4
      case let other: FileType(extension: other) ?? .wav
      }
    }

    /// The codecs that this type supports, the default first.
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

    /// Whether decoding returns exactly the encoded samples.
    public var isLossless: Bool {
      switch self {
      case .pcm, .flac, .alac: true
      case .aac, .mp3, .vorbis, .opus: false
      }
    }
  }
}
