// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How a file is divided so that several pipelines reverse it, or decode it forward, in parallel.
///
/// Each decodes its own region. Neighbours overlap, and the frames that both have are compared
/// before the two are joined: times alone do not show where a decoder cuts.
struct RegionPlan: Equatable, Sendable {
  /// How far a region begins before its own first frame: after a seek, decoders need some sound
  /// before their output is exact.
  static let warmUpSeconds = 1
  /// Overlap with its upper neighbour, which is compared.
  static let overlapSeconds = 1
  /// A shorter region is not worth its seeks.
  static let leastSeconds = 20.0
  /// In a longer one, the part that is decoded twice matters little; and all of it is held in
  /// memory.
  private static let mostSeconds = 64.0
  private static let mostBytes = 16.0 * 1024 * 1024
  /// More regions come from a wrong header.
  private static let mostRegions = 10_000

  /// The end of a file is known only when it has been decoded.
  static let beyondTheEnd = Duration.seconds(10)

  /// A request to `revbuf`, in the file's own time.
  struct Region: Equatable, Sendable {
    var start: Duration
    /// nil: backwards, from the start down to the beginning of the file, wherever its first frame
    /// lies; forward, up to its end.
    var stop: Duration?

    init(start: Duration, stop: Duration?) { (self.start, self.stop) = (start, stop) }

    init(_ range: Range<Duration>) { (start, stop) = (range.lowerBound, range.upperBound) }
  }

  /// Backwards, the last one of the file is first.
  let regions: [Region]
  /// Number of inner regions that are decoded in parallel.
  let decoders: Int
  let direction: AudioEdit.Direction
  private let isCutAbove: Bool

  /// Whether the frames at both ends of a region are compared with those of its neighbours, or
  /// those at its upper end are the last ones of the file. At another end they are exact by time,
  /// or come from a decoder that has just started, as `revbuf mode=seek` returns them. Forward, the
  /// first one is not inner: no seek leads to it, because a decoder may start differently after one.
  func isInner(_ index: Int) -> Bool {
    switch direction {
    case .forward: (1..<max(regions.count, 1)).contains(index)
    case .reverse: ((isCutAbove ? 1 : 0)..<(regions.count - 1)).contains(index)
    }
  }

  /// `part` is the reversed part, at most up to `duration`, with this many bytes a second.
  init(_ part: Range<Duration>?, of duration: Duration, bytesPerSecond: Int, decoders: Int) {
    self.decoders = max(decoders, 1)
    direction = .reverse
    isCutAbove = part != nil
    let start = part?.lowerBound ?? .zero
    let end = min(part?.upperBound ?? duration, duration)
    let count = Self.count(
      (end - start).inSeconds, bytesPerSecond: bytesPerSecond, decoders: decoders)
    // at whole seconds, which are whole frames at every rate
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

  /// The whole file is read forward. A region has a warm-up after its last frame, too, because
  /// decoders also need the packets that follow.
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

  /// How many regions so many seconds make: each decoder has as many to do.
  private static func count(_ seconds: Double, bytesPerSecond: Int, decoders: Int) -> Int {
    let length = min(mostSeconds, mostBytes / Double(max(bytesPerSecond, 1)))
    let rounds = (seconds / max(length, leastSeconds) / Double(max(decoders, 1))).rounded(.up)
    let most = min(Int(saturating: seconds / leastSeconds), mostRegions)
    return decoders > 1 ? min(Int(saturating: rounds * Double(decoders)), most) : 1
  }
}

extension AudioEdit {
  /// The regions to reverse in parallel, if that pays off; nil if one pipeline does it.
  func regions(of information: AudioInformation, decoders: Int) -> RegionPlan? {
    guard !keepsRest, !effects.contains(.before), information.storage != nil,
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

  /// Bytes of a decoded frame.
  func frameBytes(of information: AudioInformation) -> Int {
    channels.count(of: information) * SampleFormat.bytes(of: information.sampleFormat)
  }
}

extension AudioInformation {
  /// Whether its container rounds times to milliseconds, so that seeking is not exact.
  var hasRoundedTimes: Bool { ["Matroska", "WebM"].contains(container) }

  private static let exactContainers = ["WAV", "Audio Interchange File Format (AIFF)"]

  /// Tolerance for the first or last frame of a region: times are rounded, and if AAC is cut in an
  /// MP4, `qtdemux` shortens the time of a packet, of 2048 frames at most, but not its sound. WAV
  /// and AIFF are cut at the frame, so silence fits in one position.
  var regionSlackFrames: Int {
    if let container, Self.exactContainers.contains(container) { return 0 }
    return (storage == .aac ? 2048 : 0) + rate / 1000 + 1
  }
}
