// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How we divide a file into regions that several pipelines reverse or decode in parallel.
///
/// Each pipeline decodes its own regions. Timestamps don't tell us exactly which frame a decoder
/// cuts at, so neighbouring regions overlap, and we compare the frames that they share before we
/// join them.
struct RegionPlan: Equatable, Sendable {
  /// How much we decode before the first frame of a region and then drop. After a seek, decoders
  /// need some input before their output is exact.
  static let warmUpSeconds = 1
  /// Overlap of a region with its upper neighbour, in seconds. We compare these frames.
  static let overlapSeconds = 1
  /// With shorter regions, the seeks would cost more than we'd gain.
  static let minSeconds = 20.0
  /// A region may exceed the maximum length and size to reach ``minSeconds``. We hold regions in
  /// memory, and there's little to gain from longer ones because hardly any frames are decoded
  /// twice as it is.
  private static let maxSeconds = 64.0
  private static let maxBytes = 16.0 * 1024 * 1024
  /// More than this must be due to a wrong header.
  private static let maxRegions = 10_000

  /// Added to the stop of the last region of the file, because we only know the real end of a file
  /// after decoding.
  static let beyondTheEnd = Duration.seconds(10)

  /// The range that we ask `revbuf` to seek to, in file time.
  struct Region: Equatable, Sendable {
    var start: Duration
    /// Nil if the region has no stop. In reverse, it then extends from `start` down to the first
    /// frame of the file, wherever that is, and forwards it extends to the end of the file.
    var stop: Duration?

    init(start: Duration, stop: Duration?) { (self.start, self.stop) = (start, stop) }

    init(_ range: Range<Duration>) { (start, stop) = (range.lowerBound, range.upperBound) }
  }

  /// In output order, so in reverse the last region of the file comes first.
  let regions: [Region]
  /// Number of inner regions that we decode in parallel. See ``isInner(_:)``.
  let decoders: Int
  let direction: Direction
  private let isCutAbove: Bool

  /// We compare both ends of an inner region with the neighbouring regions, except for an upper end
  /// that's the end of the file. The other regions have an end that we don't compare, because its
  /// timestamp is exact or because it comes from a decoder that has just started, as with `revbuf
  /// mode=seek`. Going forwards, all regions but the first are inner ones. We decode the first
  /// without a seek, because a decoder may start with different frames after a seek.
  func isInner(_ index: Int) -> Bool {
    switch direction {
    case .forward: (1..<max(regions.count, 1)).contains(index)
    case .reverse: ((isCutAbove ? 1 : 0)..<(regions.count - 1)).contains(index)
    }
  }

  /// `part` is the part to reverse, limited to `duration`. `bytesPerSecond` is the decoded audio's
  /// data rate.
  init(_ part: Range<Duration>?, of duration: Duration, bytesPerSecond: Int, decoders: Int) {
    self.decoders = max(decoders, 1)
    direction = .reverse
    isCutAbove = part != nil
    let start = part?.lowerBound ?? .zero
    let end = min(part?.upperBound ?? duration, duration)
    let count = Self.count(
      (end - start).inSeconds, bytesPerSecond: bytesPerSecond, decoders: decoders)
    // we cut at whole seconds, which are whole frames at every rate
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

  /// The whole file, going forwards. We decode beyond both ends of each region, because a decoder's
  /// output is only exact if it also decodes the packets before and after the region.
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

  /// The number of regions for this many seconds. It's a multiple of the number of decoders, unless
  /// the regions would then be shorter than ``minSeconds``.
  private static func count(_ seconds: Double, bytesPerSecond: Int, decoders: Int) -> Int {
    let length = min(maxSeconds, maxBytes / Double(max(bytesPerSecond, 1)))
    let rounds = (seconds / max(length, minSeconds) / Double(max(decoders, 1))).rounded(.up)
    let most = min(Int(saturating: seconds / minSeconds), maxRegions)
    return decoders > 1 ? min(Int(saturating: rounds * Double(decoders)), most) : 1
  }
}

extension AudioEdit {
  /// The regions to reverse in parallel, or nil if a single pipeline is just as fast.
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

  /// Size of a frame in the sample format `format`, or by default in the decoded format.
  func frameBytes(of information: AudioInformation, as format: String? = nil) -> Int {
    channels.count(of: information) * SampleFormat.bytes(of: format ?? information.sampleFormat)
  }
}

extension AudioInformation {
  /// True if the container rounds times to milliseconds, so that seeks aren't exact.
  var hasRoundedTimes: Bool { ["Matroska", "WebM"].contains(container) }

  static let exactContainers = ["WAV", AudioFile.wave64, "Audio Interchange File Format (AIFF)"]

  /// Because times are rounded, the first or last frame of a region may be off by this many frames.
  /// If you cut AAC in an MP4, `qtdemux` shortens the duration of a packet, but the decoder still
  /// outputs the whole packet of up to 2048 frames. WAV and AIFF are cut exactly, so the error is 0
  /// and even silence only matches at one position.
  var regionSlackFrames: Int {
    if let container, Self.exactContainers.contains(container) { return 0 }
    return (storage == .aac ? 2048 : 0) + rate / 1000 + 1
  }
}
