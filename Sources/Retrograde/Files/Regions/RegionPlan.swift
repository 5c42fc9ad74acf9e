// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Division of a file into regions that several pipelines reverse or decode in parallel.
///
/// Each pipeline decodes its own regions. Neighbouring regions overlap, and the common frames are
/// compared before two regions are joined, because timestamps do not show at which frame a decoder
/// cuts.
struct RegionPlan: Equatable, Sendable {
  /// Time that is decoded and dropped before the first frame of a region, because after a seek,
  /// decoders need some input before their output is exact.
  static let warmUpSeconds = 1
  /// Overlap of a region with its upper neighbour, in seconds. The overlapping frames are compared.
  static let overlapSeconds = 1
  /// Minimum length of a region. For shorter regions, the seeks would cost more than is gained.
  static let minSeconds = 20.0
  /// Maximum length and size of a region, which may be exceeded to reach ``minSeconds``. A region
  /// is held in memory, and longer regions would gain little: the share of frames that are decoded
  /// twice is already negligible.
  private static let maxSeconds = 64.0
  private static let maxBytes = 16.0 * 1024 * 1024
  /// Maximum number of regions. More can only result from a wrong header.
  private static let maxRegions = 10_000

  /// Added to the stop of the last region of the file, because the real end of a file is known only
  /// after decoding.
  static let beyondTheEnd = Duration.seconds(10)

  /// The range of a seek of `revbuf`, in file time.
  struct Region: Equatable, Sendable {
    var start: Duration
    /// nil if the region has no stop. In reverse, the region then extends from `start` down to the
    /// first frame of the file, wherever that is. In forward direction, it extends to the end of
    /// the file.
    var stop: Duration?

    init(start: Duration, stop: Duration?) { (self.start, self.stop) = (start, stop) }

    init(_ range: Range<Duration>) { (start, stop) = (range.lowerBound, range.upperBound) }
  }

  /// The regions in the order of the output: in reverse, the last region of the file comes first.
  let regions: [Region]
  /// Number of inner regions that are decoded in parallel. See ``isInner(_:)``.
  let decoders: Int
  let direction: AudioEdit.Direction
  private let isCutAbove: Bool

  /// Whether a region is an inner one: both of its ends are compared with the neighbouring regions,
  /// except for an upper end that is the end of the file. The other regions have an end that is not
  /// compared: it is exact by its timestamp, or the output of a decoder that has just started, as
  /// with `revbuf mode=seek`. In forward direction, only the first region is not an inner one. It
  /// is decoded without a seek, because after a seek, a decoder may start with other frames.
  func isInner(_ index: Int) -> Bool {
    switch direction {
    case .forward: (1..<max(regions.count, 1)).contains(index)
    case .reverse: ((isCutAbove ? 1 : 0)..<(regions.count - 1)).contains(index)
    }
  }

  /// `part` is the part to reverse. It is limited to `duration`. `bytesPerSecond` is the data rate
  /// of the decoded audio.
  init(_ part: Range<Duration>?, of duration: Duration, bytesPerSecond: Int, decoders: Int) {
    self.decoders = max(decoders, 1)
    direction = .reverse
    isCutAbove = part != nil
    let start = part?.lowerBound ?? .zero
    let end = min(part?.upperBound ?? duration, duration)
    let count = Self.count(
      (end - start).inSeconds, bytesPerSecond: bytesPerSecond, decoders: decoders)
    // cut at whole seconds, which are whole frames at every rate
    let cuts = (1..<max(count, 1)).map { index -> Duration in
      let share = 1 - Double(index) / Double(count)
      return .seconds((start.inSeconds + (end - start).inSeconds * share).rounded())
    }
    let starts = cuts.map { $0 - .seconds(Self.warmUpSeconds) } + [start]
    let stops =
      [part?.upperBound ?? duration + Self.beyondTheEnd]
      + cuts.map { $0 + .seconds(Self.overlapSeconds) }
    var regions = zip(starts, stops).map { Region(start: $0, stop: $1) }
    if part == nil, let last = regions.popLast() {
      regions.append(Region(start: last.stop ?? duration, stop: nil))
    }
    self.regions = regions
  }

  /// The whole file in forward direction. Each region is decoded beyond both of its ends, because
  /// a decoder gives exact output only if it also decodes the packets before and after the region.
  init(forward duration: Duration, bytesPerSecond: Int, decoders: Int) {
    self.decoders = max(decoders, 1)
    (direction, isCutAbove) = (.forward, false)
    let count = Self.count(duration.inSeconds, bytesPerSecond: bytesPerSecond, decoders: decoders)
    let cuts = (1..<max(count, 1)).map { index in
      Duration.seconds((duration.inSeconds * Double(index) / Double(count)).rounded())
    }
    let starts = [.zero] + cuts.map { $0 - .seconds(Self.warmUpSeconds) }
    let stops = cuts.map { $0 + .seconds(Self.overlapSeconds + Self.warmUpSeconds) } + [nil]
    regions = zip(starts, stops).map { Region(start: $0, stop: $1) }
  }

  /// The number of regions for this many seconds: a multiple of the number of decoders, unless the
  /// regions would then be shorter than ``minSeconds``.
  private static func count(_ seconds: Double, bytesPerSecond: Int, decoders: Int) -> Int {
    let length = min(maxSeconds, maxBytes / Double(max(bytesPerSecond, 1)))
    let rounds = (seconds / max(length, minSeconds) / Double(max(decoders, 1))).rounded(.up)
    let most = min(Int(saturating: seconds / minSeconds), maxRegions)
    return decoders > 1 ? min(Int(saturating: rounds * Double(decoders)), most) : 1
  }
}

extension AudioEdit {
  /// The regions to reverse in parallel, if this is faster, or nil if one pipeline is enough.
  func regions(of information: AudioInformation, decoders: Int) -> RegionPlan? {
    guard speedCurve == nil, !keepsRest, !effects.contains(.before), information.storage != nil,
      !isCollected(information), let duration = information.duration
    else { return nil }
    let bytes = information.rate * frameBytes(of: information)
    let plan: RegionPlan
    switch direction {
    case .reverse:
      plan = RegionPlan(region, of: duration, bytesPerSecond: bytes, decoders: decoders)
    case .forward:
      guard isScaled, region == nil, !information.hasRoundedTimes else { return nil }
      plan = RegionPlan(forward: duration, bytesPerSecond: bytes, decoders: decoders)
    }
    return plan.regions.count > 1 ? plan : nil
  }

  /// Size of a frame in bytes in the sample format `format`. By default, in the decoded one.
  func frameBytes(of information: AudioInformation, as format: String? = nil) -> Int {
    channels.count(of: information) * SampleFormat.bytes(of: format ?? information.sampleFormat)
  }
}

extension AudioInformation {
  /// Whether the container rounds times to milliseconds, so that seeks are not exact.
  var hasRoundedTimes: Bool { ["Matroska", "WebM"].contains(container) }

  static let exactContainers = ["WAV", AudioFile.wave64, "Audio Interchange File Format (AIFF)"]

  /// Maximum error of the first or last frame of a region, in frames, because times are rounded. If
  /// AAC in an MP4 is cut, `qtdemux` shortens the duration of a packet, but the decoder outputs all
  /// of its up to 2048 frames. WAV and AIFF are cut exactly, so the error is 0, and even silence
  /// matches at only one position.
  var regionSlackFrames: Int {
    if let container, Self.exactContainers.contains(container) { return 0 }
    return (storage == .aac ? 2048 : 0) + rate / 1000 + 1
  }
}
