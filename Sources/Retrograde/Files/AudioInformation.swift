// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Properties of an audio file that are known without decoding all of it.
///
/// ```swift
/// let information = try await song.information()
/// print("\(information.codec), \(information.rate) Hz, \(information.channels) channels")
/// ```
public struct AudioInformation: Sendable, Equatable, Codable {
  /// nil if neither the container nor the decoder knows it.
  public var duration: Duration?
  /// In frames per second.
  public var rate: Int
  /// Number of channels.
  public var channels: Int
  /// The places of the channels, in order ("FL", "FR", "LFE"); empty if they have none.
  public var layout: [String]
  /// The decoded samples' format, by GStreamer's name ("S16LE", "F32LE").
  public var sampleFormat: String
  /// Number of significant bits of a sample, if the codec has fewer than that format: ALAC of 24
  /// bits is decoded to 32. Otherwise nil.
  public var sampleBits: Int?
  /// Whether the samples are decoded from something that is not exact, as MP3.
  public var isLossy: Bool
  /// The container's name in words, if it has one ("Ogg").
  public var container: String?
  /// The codec's name in words ("MPEG-1 Layer 3 (MP3)").
  public var codec: String
  /// Bits per second; the average if the file does not state it.
  public var bitRate: Int?
  /// Title, artist and the like, as the file states them.
  public var tags: AudioTags
  /// Other contents of the file, in words: the pictures of a film, chapters, more streams, parts
  /// that GStreamer does not read.
  public var extras: [String] = []
  /// The codec that the samples are stored by, if it can be written; otherwise nil.
  public var storage: OutputSettings.Codec?

  /// The number of frames, computed from ``duration``.
  public var frames: Int64? {
    duration.map { Int64(saturating: ($0.inSeconds * Double(rate)).rounded()) }
  }

  /// Duration of a part; of all of it for nil, 0 if it is not known.
  func duration(of region: Range<Duration>?) -> Duration {
    guard let region else { return duration ?? .zero }
    return min(region.upperBound, duration ?? region.upperBound) - region.lowerBound
  }
}
