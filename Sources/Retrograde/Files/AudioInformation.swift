// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Properties of an audio file that are known without decoding the whole file.
///
/// ```swift
/// let information = try await song.information()
/// print("\(information.codec), \(information.rate) Hz, \(information.channels) channels")
/// ```
public struct AudioInformation: Sendable, Equatable, Codable {
  /// Duration of the sound, or nil if neither the container nor the decoder reports it.
  public var duration: Duration?
  /// Whether the duration is an estimate, as for an MP3 that does not state its length.
  var isEstimate = false
  /// Time of the first frame: in a film, the sound may begin later than the pictures.
  var start = Duration.zero
  /// Frames per second.
  public var rate: Int
  /// Number of channels.
  public var channels: Int
  /// The positions of the channels, in order ("FL", "FR", "LFE"), or empty if the file names none.
  public var layout: [String]
  /// The format of the decoded samples, by GStreamer's name ("S16LE", "F32LE").
  public var sampleFormat: String
  /// Number of significant bits per sample, if it is smaller than in ``sampleFormat``: 24-bit ALAC
  /// is decoded to 32 bits. Otherwise nil.
  public var sampleBits: Int?
  /// Whether the codec is lossy, as MP3 is.
  public var isLossy: Bool
  /// Description of the container, if there is one ("Ogg").
  public var container: String?
  /// Description of the codec ("MPEG-1 Layer 3 (MP3)").
  public var codec: String
  /// Bits per second. The average over the file if the file does not state a bit rate.
  public var bitRate: Int?
  /// Title, artist and other tags of the file.
  public var tags: AudioTags
  /// Descriptions of other contents of the file: the pictures of a film, chapters, further streams,
  /// data that GStreamer does not read.
  public var extras: [String] = []
  /// What the file lacks if it is cut off, without a full stop at its end, or nil if it seems
  /// whole.
  public var missing: String?
  /// The codec of the file, if this library can write it. Otherwise, nil.
  public var storage: OutputSettings.Codec?

  // without isEstimate and start, which only the process that reads the file needs
  private enum CodingKeys: String, CodingKey {
    case duration, rate, channels, layout, sampleFormat, sampleBits, isLossy, container, codec
    case bitRate, tags, extras, missing, storage
  }

  /// The number of frames, computed from ``duration``.
  public var frames: Int64? {
    duration.map { Int64(saturating: ($0.inSeconds * Double(rate)).rounded()) }
  }

  /// Duration of a region, or of the whole file for nil, or 0 if unknown.
  func duration(of region: Range<Duration>?) -> Duration {
    guard let region else { return duration ?? .zero }
    return min(region.upperBound, duration ?? region.upperBound) - region.lowerBound
  }
}
