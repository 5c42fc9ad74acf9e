// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How a file is written.
///
/// ```swift
/// let settings = OutputSettings(codec: .opus, bitRate: 96_000, replacesExisting: true)
/// try settings.validate(for: output)
/// try await song.reverse(to: output, settings: settings).finish()
/// ```
public struct OutputSettings: Sendable, Equatable {
  /// nil takes the type from the extension of the file's name.
  public var type: FileType?
  /// nil takes the usual codec of the type.
  public var codec: Codec?
  /// In bits per second, 8,000 … 512,000, for lossy codecs; nil leaves it to the codec.
  public var bitRate: Int?
  /// Bits of a sample, for lossless codecs: 16 or 24, and 8 or 32 without a codec; nil keeps the
  /// input's. Fewer bits are dithered.
  public var bits: Int?
  /// In frames per second; nil keeps the input's, or takes the next higher that the codec has.
  public var rate: Int?
  /// Whether an existing file may be replaced.
  public var replacesExisting: Bool
  /// Whether the pictures of a film are kept unchanged, with the new sound.
  ///
  /// The name of the new file must end in mp4, m4v, mov, mkv or webm then, which replaces ``type``,
  /// and the edit must not change the length of the sound.
  public var keepsVideo: Bool
  /// How many pipelines decode a file that is reversed or scaled, in parallel. The new file is the
  /// same.
  ///
  /// It pays off if decoding takes long, as of Opus, and processor cores are idle. Each holds 16
  /// MiB of decoded sound in memory (20 s, if that is more), however long the file is.
  public var decoders: Int

  /// By default, the usual codec of the type that the file's name stands for.
  public init(
    type: FileType? = nil, codec: Codec? = nil, bitRate: Int? = nil, bits: Int? = nil,
    rate: Int? = nil, replacesExisting: Bool = false, keepsVideo: Bool = false,
    decoders: Int = 1
  ) {
    self.type = type
    self.codec = codec
    self.bitRate = bitRate
    self.bits = bits
    self.rate = rate
    self.replacesExisting = replacesExisting
    self.keepsVideo = keepsVideo
    self.decoders = decoders
  }
}

// MARK: - Types of files

extension OutputSettings {
  /// The type of a file, chosen by the extension of its name.
  ///
  /// ```swift
  /// let type = try await OutputSettings.FileType.same(as: song.information())
  /// print("\(type.rawValue) holds \(type.codecs.map(\.rawValue).joined(separator: ", "))")
  /// ```
  @nonexhaustive
  public enum FileType: String, Sendable, CaseIterable, Codable {
    /// Samples as they are, little endian; at most 4 GB.
    case wav
    /// Samples as they are, big endian.
    case aiff
    /// Lossless, of 16 or 24 bits.
    case flac
    /// Audio in MPEG-4.
    case m4a
    /// MPEG-4, named as films are.
    case mp4
    /// MPEG-1 layer 3, with ID3 tags.
    case mp3
    /// Ogg, by default with Vorbis.
    case ogg
    /// Opus in Ogg.
    case opus
    /// Matroska, which holds nearly every codec.
    case mka

    /// The type that a file's extension stands for; nil for one that is not known.
    public init?(extension name: String) {
      switch name.lowercased() {
      case "wave": self = .wav
      case "aif", "aifc": self = .aiff
      case "oga": self = .ogg
      case let name: self.init(rawValue: name)
      }
    }

    /// The type that applications of AVFoundation choose for a file that is made from one with this
    /// extension: M4A for compressed audio, because that framework writes few types. A type that it
    /// does not know is kept, or becomes WAV. ``same(as:)`` loses less.
    public static func avFoundation(forInput extension: String) -> FileType {
      switch `extension`.lowercased() {
      case "aac", "m4a", "mp3", "m4r", "flac": .m4a
      case "mp4": .mp4
      case let other: FileType(extension: other) ?? .wav
      }
    }

    /// The codecs that this type can hold, the usual one first.
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

  /// How samples are stored.
  ///
  /// ```swift
  /// let lossless = OutputSettings.Codec.allCases.filter(\.isLossless)
  /// ```
  @nonexhaustive
  public enum Codec: String, Sendable, CaseIterable, Codable {
    /// The samples themselves.
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
