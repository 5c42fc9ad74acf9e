// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How a file is parted so that several pipelines reverse it at a time.
///
/// Each decodes a region of its own. Neighbours overlap, and the frames that both have are
/// compared before the two are joined: times alone do not tell where a decoder cuts.
struct RegionPlan: Equatable, Sendable {
  /// How far a region begins before its own first frame: after a seek, decoders need some
  /// sound before what they give is exact.
  static let warmUpSeconds = 1
  /// How much of its upper neighbour it has besides, which is compared.
  static let overlapSeconds = 1
  /// A shorter region is not worth its seeks.
  static let leastSeconds = 20.0

  /// Where a file ends is known only when it has been decoded.
  static let beyondTheEnd = Duration.seconds(10)

  /// What is asked of `revbuf`, in the file's own time.
  struct Region: Equatable, Sendable {
    var start: Duration
    /// nil: from the start down to the beginning of the file, wherever its first frame lies.
    var stop: Duration?

    init(start: Duration, stop: Duration?) { (self.start, self.stop) = (start, stop) }

    init(_ range: Range<Duration>) { (start, stop) = (range.lowerBound, range.upperBound) }
  }

  /// The last one of the file goes first.
  let regions: [Region]

  /// `part` is what is reversed, at most up to `duration`; `count` regions at most.
  init(_ part: Range<Duration>?, of duration: Duration, count: Int) {
    let start = part?.lowerBound ?? .zero
    let end = min(part?.upperBound ?? duration, duration)
    let most = Int(saturating: (end - start).inSeconds / Self.leastSeconds)
    // at whole seconds, which are whole frames at every rate
    let cuts = (1..<max(min(count, most), 1)).map { index -> Duration in
      let share = 1 - Double(index) / Double(min(count, most))
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
}

extension AudioEdit {
  /// The regions that it is worth while to reverse at a time; nil where one pipeline does it,
  /// as where decoders make other noise each time (AAC).
  func regions(of information: AudioInformation, count: Int) -> RegionPlan? {
    let isRepeatable = information.storage.map { $0 != .aac } ?? false
    guard direction == .reverse, !keepsRest, isRepeatable, !isCollected(information),
      let duration = information.duration
    else { return nil }
    let plan = RegionPlan(region, of: duration, count: count)
    return plan.regions.count > 1 ? plan : nil
  }
}
