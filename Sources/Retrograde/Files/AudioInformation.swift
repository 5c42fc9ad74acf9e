// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// What we know about an audio file without decoding all of it.
///
/// ```swift
/// let information = try await song.information()
/// print("\(information.codec), \(information.rate) Hz, \(information.channels) channels")
/// ```
public struct AudioInformation: Sendable, Equatable, Codable {
  /// Duration of the sound, or nil if neither the container nor the decoder reports it.
  public var duration: Duration?
  /// An MP3, for example, may not declare its length.
  var isEstimate = false
  /// In a video, the sound may begin later than the pictures.
  var start = Duration.zero
  /// Frames per second.
  public var rate: Int
  /// Number of channels.
  public var channels: Int
  /// The positions of the channels, in order ("FL", "FR", "LFE"). Empty if the file doesn't say.
  public var layout: [String]
  /// The format of the decoded samples, by GStreamer's name ("S16LE", "F32LE").
  public var sampleFormat: String
  /// Number of significant bits per sample if ``sampleFormat`` has more, or nil otherwise. For
  /// example, 24-bit ALAC is decoded to 32 bits.
  public var sampleBits: Int?
  /// True for a lossy codec, such as MP3.
  public var isLossy: Bool
  /// Description of the container ("Ogg"), if there is one.
  public var container: String?
  /// Description of the codec ("MPEG-1 Layer 3 (MP3)").
  public var codec: String
  /// Bits per second. If the file doesn't declare a bit rate, this is the average over the file.
  public var bitRate: Int?
  /// Title, artist and other tags of the file.
  public var tags: AudioTags
  /// Descriptions of anything else in the file, such as video, chapters, more streams and data that
  /// GStreamer doesn't read.
  public var extras: [String] = []
  /// What's missing if the file is cut off, as text without a full stop. Nil if the file seems
  /// complete.
  public var missing: String?
  /// The codec of the file, or nil if it isn't one that we can write.
  public var storage: OutputSettings.Codec?

  /// The number of frames, which follows from ``duration``.
  public var frames: Int64? {
    duration.map { Int64(saturating: ($0.inSeconds * Double(rate)).rounded()) }
  }

  /// For nil, the duration of the whole file, or 0 if unknown.
  func duration(of region: Range<Duration>?) -> Duration {
    guard let region else { return duration ?? .zero }
    return min(region.upperBound, duration ?? region.upperBound) - region.lowerBound
  }

  /// True if the container rounds times to milliseconds, so that seeks aren't exact.
  var hasRoundedTimes: Bool { ["Matroska", "WebM"].contains(container) }
}
