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
  /// nil where neither the container nor the decoder knows it.
  public var duration: Duration?
  /// In frames per second.
  public var rate: Int
  /// How many channels there are.
  public var channels: Int
  /// The places of the channels, in order ("FL", "FR", "LFE"); empty where they have none.
  public var layout: [String]
  /// The decoded samples' format, by GStreamer's name ("S16LE", "F32LE").
  public var sampleFormat: String
  /// How many bits of a sample count, where the codec has fewer than that
  /// format: ALAC of 24 bits is decoded to 32. Else nil.
  public var sampleBits: Int?
  /// Whether the samples are decoded from something that is not exact, as MP3.
  public var isLossy: Bool
  /// The container's name in words, where there is one ("Ogg").
  public var container: String?
  /// The codec's name in words ("MPEG-1 Layer 3 (MP3)").
  public var codec: String
  /// In bits per second; the average where the file does not tell.
  public var bitRate: Int?
  /// What the file says about its content: title, artist and the like.
  public var tags: AudioTags
  /// What else is in the file, in words: the pictures of a film, chapters, more streams, parts
  /// that GStreamer does not read.
  public var extras: [String] = []
  /// What the samples are stored by, where it is one that can be written; else nil.
  public var storage: OutputSettings.Codec?

  /// The number of frames, as far as ``duration`` tells.
  public var frames: Int64? {
    duration.map { Int64(saturating: ($0.inSeconds * Double(rate)).rounded()) }
  }

  /// How long a part of it is; all of it for nil, 0 where that is not known.
  func duration(of region: Range<Duration>?) -> Duration {
    guard let region else { return duration ?? .zero }
    return min(region.upperBound, duration ?? region.upperBound) - region.lowerBound
  }
}
