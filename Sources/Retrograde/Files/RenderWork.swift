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
  /// How much has been read, if that doesn't show in the output yet.
  private let read: Meter?
  /// The rate of the output.
  private let rate: Int
  let level: LevelMeter
  let gaps = GapMeter()

  /// Without `part`, we only measure the level, using float samples.
  init(
    _ edit: AudioEdit, of file: AudioFile, _ information: AudioInformation, _ encoding: Encoding,
    amplification: Float = 1, into part: PartFile? = nil
  ) throws(RetrogradeError) {
    (self.file, self.edit, self.information, self.part) = (file, edit, information, part)
    rate = encoding.rate(for: information)
    duration = information.duration(usedBy: edit)
    level = LevelMeter(part == nil ? nil : encoding.limiter(of: information, edit))
    let format = edit.effectFormat(of: information)
    // timestamps of the output must begin at 0
    let meter = "identity name=meter single-segment=true"
    let effects =
      edit.parts(of: information).count > 1 ? [] : edit.effects.elements(.after, of: format)
    let shaping = encoding.shaping(of: information, edit, amplification: amplification)
    var ending = "fakesink name=quantizer"
    if let part {
      try part.empty()
      encoding.begin(part.descriptor)
      ending =
        "\(encoding.elements(for: information, channels: edit.channels.count(of: information))) "
        + "! \(part.sink)" + (encoding.video == nil ? "" : " \(file.pictures)")
    }
    let tail = ([meter] + effects + shaping + ["queue name=shaped", ending]).joined(
      separator: " ! ")
    pipeline = try file.pipeline(for: edit, information, into: tail)
    read = edit.readsAhead ? pipeline.element("inlet").map(Meter.init) : nil
    if !information.declaresFrames, edit.speedCurve == nil {
      pipeline.element("inlet").map(gaps.watch)
    }
    for queue in ["decoded", "shaped"] { pipeline.element(queue)?.mergeBuffers() }
    pipeline.element("quantizer").map(level.watch)
    followCurves()
    if part != nil { describe(encoding) }
  }

  private func followCurves() {
    if let map = edit.timeMap {
      let knots = map.curve(rate: information.rate, factor: edit.factor)
      pipeline.element("timescale")?.follow("factor", knots)
    }
    if let curve = edit.speedCurve, let revbuf = pipeline.element("revbuf") {
      revbuf.follow("speed", curve.knots(rate: information.rate))
      // the stream ends there
      if curve.lastSpeed == 0 { revbuf.end(after: curve.buffers(rate: information.rate)) }
    }
  }

  private func describe(_ encoding: Encoding) {
    pipeline.element(VideoContainer.sourceName)?.set("location", FilePath(file.url))
    setTags(encoding)
    let delay = Double(encoding.delay) / Double(encoding.rate(for: information))
    pipeline.element(Encoding.encoderName)?.advance(by: .seconds(delay))
    // In a video, the sound begins just as late as before. In Matroska that's reversed, it would
    // begin at 0
    let isReset = information.hasRoundedTimes && edit.direction == .reverse
    if encoding.video != nil, edit.region == nil, isReset {
      pipeline.element("meter")?.advance(by: .zero - information.start)
    }
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
    revised.tags = edit.revised(information.tags)
    let changed = AudioEdit.difference(information.tags, revised.tags)
    // a video's chapters belong to its pictures, and their times don't change
    let revision = TagRevision(
      names: changed, keepsChapters: encoding.video != nil || edit.keepsTimes)
    pipeline.element("meter").map(revision.watch)
    for (name, text) in encoding.tags(for: revised) { pipeline.setTag(name, to: [text]) }
    for name in changed {
      pipeline.setTag(name, to: revised.tags.lists[name] ?? [])
    }
  }

  func run(_ report: @escaping @Sendable (AudioFile.Progress) -> Void) async throws {
    let clock = ContinuousClock.now
    let report = { @Sendable (fraction: Double) in
      report(.init(fraction: fraction, elapsed: .now - clock, inputDuration: duration))
    }
    try await reporting {
      report(fraction)
    } during: {
      try await pipeline.stopping {
        try await pipeline.playToEnd(of: file, into: part)
      }
    }
    report(1)
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
    let passed = Atomic(0)
    probe("src", GST_PAD_PROBE_TYPE_BUFFER) { passage in
      if passed.add(1, ordering: .relaxed).newValue <= count { return GST_PAD_PROBE_OK }
      gst_pad_push_event(passage.pad, gst_event_new_eos())
      return GST_PAD_PROBE_DROP
    }
  }
}

// MARK: - Progress

extension Work {
  private var fraction: Double {
    let seconds = Double(level.level.frames) / Double(rate)
    let written = share(seconds, of: information.duration(after: edit).inSeconds)
    guard let read else { return written }
    let end = information.duration ?? .zero
    let needed = edit.keepsRest ? end : min(edit.region?.upperBound ?? end, end)
    return (share(read.time.inSeconds, of: needed.inSeconds) + written) / 2
  }

  private func share(_ seconds: Double, of whole: Double) -> Double {
    whole > 0 ? min(max(seconds / whole, 0), 1) : 0
  }
}

extension AudioEdit {
  /// True if we read much before we output anything.
  fileprivate var readsAhead: Bool {
    let keepsEndpoints = factor != .one && alignment == .endpoints && pitch == .followsSpeed
    return keepsEndpoints || direction == .reverse || region != nil && speedCurve == nil
  }
}

/// Measures how much sound an element has output. We use running time, because positions decrease
/// in reverse.
private final class Meter: Sendable {
  private let reached = Mutex(Int64(0))

  init(_ element: Element) {
    element.watch("src", GST_PAD_PROBE_TYPE_BUFFER) { [weak self] passage in
      guard let times = passage.times(gst_segment_to_running_time_full) else { return }
      self?.reached.withLock { $0 = max($0, times.stop) }
    }
  }

  var time: Duration { .nanoseconds(reached.withLock { $0 }) }
}
