// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Synchronization

/// One pipeline that reads a file and writes another one.
struct Work {
  let file: AudioFile
  let edit: AudioEdit
  let information: AudioInformation
  let pipeline: Pipeline
  let duration: Duration
  private let part: PartFile?
  private let branches: [Branch]
  private let read: Meter
  private let written: Meter
  private let feed: RegionFeed?
  let level: LevelMeter

  init(
    _ edit: AudioEdit, of file: AudioFile, _ information: AudioInformation, _ encoding: Encoding,
    amplification: Float, into part: PartFile, decoders: Int
  ) throws(RetrogradeError) {
    let channels = edit.channels.count(of: information)
    try part.empty()
    encoding.begin(part.descriptor)
    let sink = part.sink + (encoding.video == nil ? "" : " \(file.pictures)")
    try self.init(
      edit, of: file, information,
      shaping: encoding.shaping(of: information, edit, amplification: amplification),
      ending: [encoding.elements(for: information, channels: channels), sink],
      limiter: encoding.limiter(of: information, edit), into: part, decoders: decoders)
    pipeline.element(VideoContainer.sourceName)?.set("location", FilePath(file.url))
    setTags(encoding)
    let delay = Double(encoding.delay) / Double(encoding.rate(for: information))
    pipeline.element(Encoding.encoderName)?.advance(by: .seconds(delay))
    // In a video, the sound begins just as late as before. In Matroska that's reversed or was
    // decoded to a WAV, it would begin at 0
    let isReset = file.isJoined || information.hasRoundedTimes && edit.direction == .reverse
    if encoding.video != nil, edit.region == nil, isReset {
      pipeline.element("meter")?.advance(by: .zero - information.start)
    }
  }

  /// Only measures the level, using float samples, without writing anything.
  init(
    surveying edit: AudioEdit, of file: AudioFile, _ information: AudioInformation,
    _ encoding: Encoding, decoders: Int
  ) throws(RetrogradeError) {
    try self.init(
      edit, of: file, information,
      shaping: encoding.shaping(of: information, edit, amplification: 1),
      ending: ["fakesink name=quantizer sync=false"], limiter: nil, into: nil, decoders: decoders)
  }

  /// A fade-out needs the length of the sound, which is in `known`.
  func fade(_ known: Level, _ encoding: Encoding) {
    guard edit.fades, let volume = pipeline.element("fade") else { return }
    let seconds = Double(known.frames) / Double(encoding.rate(for: information))
    let falls = edit.fadeOut > .zero
    let end = falls ? Duration.seconds(saturating: seconds) : edit.fadeIn
    let times = edit.fadeTimes(in: end)
    var knots = times.risen > .zero ? [Knot(.zero, 0)] : []
    knots.append(Knot(times.risen, 1))
    if falls { knots += [Knot(times.falls, 1), Knot(end, 0)] }
    volume.follow("volume", knots)
  }

  /// Sets only those of the input's tags that are valid for the output.
  private func setTags(_ encoding: Encoding) {
    var revised = information
    revised.tags = edit.revised(information.tags, duration: information.duration)
    let changed = AudioEdit.difference(information.tags, revised.tags)
    // a video's chapters belong to its pictures, and their times don't change
    let moves = encoding.video == nil ? edit : AudioEdit()
    let revision = TagRevision(
      names: changed, edit: moves, duration: information.duration ?? .zero)
    pipeline.element("meter").map(revision.watch)
    for (name, text) in encoding.tags(for: revised) { pipeline.setTag(name, to: [text]) }
    for name in changed + information.tags.unread.sorted() {
      pipeline.setTag(name, to: revised.tags.lists[name] ?? [])
    }
  }

  private init(
    _ edit: AudioEdit, of file: AudioFile, _ information: AudioInformation, shaping: [String],
    ending: [String], limiter: PeakLimiter?, into part: PartFile?, decoders: Int
  ) throws(RetrogradeError) {
    (self.file, self.part, self.edit) = (file, part, edit)
    (self.information, level) = (information, LevelMeter(limiter))
    duration = information.duration(usedBy: edit)
    // timestamps of the output must begin at 0
    let meter = "identity name=meter single-segment=true"
    branches = edit.branches(of: information)
    let format = edit.effectFormat(of: information)
    let effects = branches.count > 1 ? [] : edit.effects.elements(.after, of: format)
    let tail = ([meter] + effects + shaping + ending).joined(separator: " ! ")
    if let plan = edit.regions(of: information, decoders: decoders) {
      let feed = try RegionFeed(file, edit, information, plan, tail: tail)
      self.feed = feed
      pipeline = feed.pipeline
    } else if branches.count == 1 {
      feed = nil
      let whole = edit.elements(for: information) + [tail]
      pipeline = try file.pipeline(whole.joined(separator: " ! "))
    } else {
      feed = nil
      pipeline = try file.pipeline(branches.map { ($0.mark, $0.elements) }, into: tail)
    }
    try pipeline.insert(edit.effects, format)
    if let map = edit.timeMap {
      let knots = map.curve(rate: information.rate, factor: edit.factor)
      pipeline.element("timescale")?.follow("factor", knots)
    }
    if let curve = edit.speedCurve, let revbuf = pipeline.element("revbuf") {
      revbuf.follow("speed", curve.knots(rate: information.rate))
      // the stream ends there
      if curve.lastSpeed == 0 { revbuf.end(after: curve.buffers(rate: information.rate)) }
    }
    pipeline.element("quantizer").map(level.watch)
    // If `revbuf` collects the whole stream, it doesn't output anything until the end, so we take
    // the progress from its input
    read = Meter(pipeline.element(edit.isCollected(information) ? "inlet" : "revbuf"))
    written = Meter(pipeline.element("meter"))
  }

  func run(_ report: @escaping @Sendable (AudioFile.Progress) -> Void) async throws {
    let clock = ContinuousClock.now
    try await reporting {
      report(progress(since: clock, fraction: fraction))
    } during: {
      try await pipeline.stopping {
        if let feed { try await play(feed) } else { try await play() }
      }
    }
    report(progress(since: clock, fraction: 1))
  }

  private func play() async throws {
    let regions = branches.compactMap { branch in
      branch.region.map { ("revbuf\(branch.mark)", RegionPlan.Region($0)) }
    }
    if !regions.isEmpty {
      try await pipeline.enter(Dictionary(regions) { $1 }, of: file)
    }
    try await pipeline.playToEnd(of: file, into: part)
  }

  /// If either the feed or the pipeline fails, the other one stops.
  private func play(_ feed: RegionFeed) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await feed.run() }
      group.addTask { try await pipeline.playToEnd(of: file, into: part) }
      while try await group.next() != nil {}
    }
  }

  /// True if the decoder has returned different audio for the overlap of two blocks.
  var hasFaded: Bool {
    branches.contains {
      (pipeline.element("revbuf\($0.mark)")?.count("seams-crossfaded", in: "stats") ?? 0) > 0
    }
  }

  /// Reports how far peaks were turned down.
  var limiterLosses: [AudioFile.Loss] {
    let reduction = level.reduction
    return reduction > 0 ? [.peaks((reduction * 10).rounded(.up) / 10)] : []
  }

}

extension Element {
  /// Controls a property over stream time. It changes linearly between the knots, which must be in
  /// ascending order.
  func follow(_ property: String, _ knots: [Knot]) {
    cgst_follow(
      pointer, property, knots.map(\.timeNs), knots.map(\.value), gsize(clamping: knots.count))
  }

  /// Ends the output after `count` buffers.
  fileprivate func end(after count: Int) {
    let passed = Counter()
    probe("src", GST_PAD_PROBE_TYPE_BUFFER) { passage in
      if passed.next() <= count { return GST_PAD_PROBE_OK }
      gst_pad_push_event(passage.pad, gst_event_new_eos())
      return GST_PAD_PROBE_DROP
    }
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)
  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

// MARK: - Progress

extension Work {
  private func progress(
    since clock: ContinuousClock.Instant, fraction: Double
  ) -> AudioFile.Progress {
    var progress = AudioFile.Progress(
      fraction: fraction, elapsed: .now - clock, inputDuration: duration)
    progress.clips = level.level.clipped > 0
    return progress
  }

  var fraction: Double {
    let written = share(written.time, of: information.duration(after: edit).inSeconds)
    let read = share(read.time, of: duration.inSeconds)
    return collects ? (read + written) / 2 : written
  }

  private var collects: Bool {
    let keepsEndpoints =
      edit.factor != .one && edit.alignment == .endpoints && edit.pitch == .followsSpeed
    let reversesTwice =
      edit.region != nil && edit.speedCurve == nil
      && (edit.direction == .forward || edit.effects.contains(.before))
    return keepsEndpoints || reversesTwice || edit.isCollected(information)
  }

  private func share(_ time: Duration, of whole: Double) -> Double {
    whole > 0 ? min(max(time.inSeconds / whole, 0), 1) : 0
  }
}

/// Measures how much sound an element has output. We use running time, because positions decrease
/// in reverse.
final class Meter: Sendable {
  private let reached = Mutex(Int64(0))

  init(_ element: Element?) {
    element?.watch("src") { [weak self] traffic in
      guard case .buffer(let times) = traffic else { return }
      self?.reached.withLock { $0 = max($0, times.runningStop) }
    }
  }

  var time: Duration { .nanoseconds(reached.withLock { $0 }) }
}
