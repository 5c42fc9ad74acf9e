// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// Some of the input's tags would be wrong in the new file, such as loudness, tempo and chapters, so
// we change or remove them.

extension AudioEdit {
  /// Where a part of the input ends up in the output, or nil if nothing is left of it. `duration`
  /// is the input's duration.
  func outputRange(of part: Range<Duration>, in duration: Duration) -> Range<Duration>? {
    guard speedCurve == nil else { return nil }  // it may be played several times
    let file = Duration.zero..<duration
    if let region = placedRegion?.clamped(to: file), !region.isEmpty {
      return outputRange(of: part.clamped(to: file), around: region)
    }
    let used = region?.clamped(to: file) ?? file
    let part = part.clamped(to: used)
    guard !part.isEmpty else { return nil }
    let tail = effects.tail(.before)  // in reverse, the tail comes first
    let (start, stop) =
      direction == .forward
      ? (part.lowerBound - used.lowerBound, part.upperBound - used.lowerBound)
      : (used.upperBound - part.upperBound + tail, used.upperBound - part.lowerBound + tail)
    return scaled(start)..<scaled(stop)
  }

  /// The same for an edit that keeps the audio around its region. A part that crosses an edge of
  /// the region isn't reversed.
  private func outputRange(
    of part: Range<Duration>, around region: Range<Duration>
  ) -> Range<Duration>? {
    let (first, last) = (
      moment(part.lowerBound, around: region), moment(part.upperBound, around: region)
    )
    guard direction == .reverse, part.lowerBound >= region.lowerBound,
      part.upperBound <= region.upperBound
    else { return part.isEmpty ? nil : first..<last }
    let end = moment(region.upperBound, around: region)
    return region.lowerBound + (end - last)..<region.lowerBound + (end - first)
  }

  func revised(_ tags: AudioTags, duration: Duration?) -> AudioTags {
    var tags = tags
    for name in tags.lists.keys where isLoudness(name) && !keepsLoudness {
      tags.set(name, to: [])
    }
    if changesDuration {
      tags.set("musical-key", to: [])
      tags.set("beats-per-minute", to: tags.lists["beats-per-minute"]?.compactMap(tempo) ?? [])
    }
    let comments = tags.lists["extended-comment"] ?? []
    let kept = comments.filter { isTrue(comment: $0) && ChapterComments.number(of: $0) == nil }
    let chapters = duration.map { ChapterComments(comments).moved(by: self, in: $0) } ?? []
    tags.set("extended-comment", to: kept + chapters)
    return tags
  }

  static func difference(_ before: AudioTags, _ after: AudioTags) -> [String] {
    before.lists.keys.filter { before.lists[$0] != after.lists[$0] }.sorted()
  }

  private var keepsLoudness: Bool {
    !changesDuration && region == nil && channels == .all && !changesLevel
      && peaks != .guarded && effects.isEmpty
  }

  private func isLoudness(_ name: String) -> Bool { name.hasPrefix("replaygain-") }

  /// False for comments that no longer apply. A cue sheet, for example, contains times.
  private func isTrue(comment: String) -> Bool {
    let key = comment.prefix { $0 != "=" && $0 != "[" }.uppercased()
    if key == "CUESHEET" { return self == AudioEdit() }
    if key == "INITIALKEY" || key == "BPM" { return !changesDuration }
    let isLoudness =
      key.hasPrefix("REPLAYGAIN_") || key.hasPrefix("R128_") || key == "ITUNNORM"
    return !isLoudness || keepsLoudness
  }

  private func tempo(_ text: String) -> String? {
    timeMap == nil && speedCurve == nil ? Double(text).map { String($0 / factor.value) } : nil
  }
}

/// Chapters as Vorbis comments (Vorbis, Opus and FLAC). `CHAPTER001=00:00:12.500` is the start of a
/// chapter and `CHAPTER001NAME=…` is its name.
struct ChapterComments {
  private struct Chapter {
    var start: Duration?
    var others: [String] = []
  }

  private var chapters: [Int: Chapter] = [:]

  init(_ comments: [String]) {
    for comment in comments {
      guard let number = Self.number(of: comment), let sign = comment.firstIndex(of: "=") else {
        continue
      }
      let kind = comment[..<sign].dropFirst("CHAPTER".count).drop(while: \.isNumber)
      let value = comment[comment.index(after: sign)...]
      if kind.isEmpty {
        chapters[number, default: Chapter()].start = Self.time(value)
      } else {
        chapters[number, default: Chapter()].others.append("\(kind)=\(value)")
      }
    }
  }

  static func number(of comment: String) -> Int? {
    guard comment.uppercased().hasPrefix("CHAPTER") else { return nil }
    let number = Int(comment.dropFirst("CHAPTER".count).prefix { $0.isNumber }, radix: 10)
    return number.flatMap { (0..<100_000).contains($0) ? $0 : nil }
  }

  /// Each chapter lasts until the next one. The chapters are renumbered in their new order.
  func moved(by edit: AudioEdit, in duration: Duration) -> [String] {
    let sorted = chapters.values.compactMap { chapter in chapter.start.map { ($0, chapter) } }
      .sorted { $0.0 < $1.0 }
    let ends = sorted.dropFirst().map(\.0) + [duration]
    let moved = zip(sorted, ends).compactMap { chapter, end in
      edit.outputRange(of: chapter.0..<max(chapter.0, end), in: duration)
        .map { ($0.lowerBound, chapter.1.others) }
    }.sorted { $0.0 < $1.0 }
    let first = chapters.keys.min() ?? 0
    return moved.enumerated().flatMap { index, chapter in
      let digits = String(first + index)
      let key = "CHAPTER" + String(repeating: "0", count: max(3 - digits.count, 0)) + digits
      return ["\(key)=\(Self.text(chapter.0))"] + chapter.1.map { key + $0 }
    }
  }

  /// Only parses "01:02:03.456".
  private static func time(_ text: Substring) -> Duration? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard fields.count == 3 else { return nil }
    let seconds = fields.reduce(0) { $0 * 60 + ($1 ?? .nan) }
    return (0..<1e9).contains(seconds) ? .seconds(seconds) : nil
  }

  private static func text(_ time: Duration) -> String {
    let milliseconds = Int(saturating: (time.inSeconds * 1000).rounded())
    func field(_ value: Int, _ digits: Int) -> String {
      String(String(value + 1000).suffix(digits))
    }
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
    let hours = seconds / 3600
    let start = hours < 10 ? "0\(hours)" : "\(hours)"
    return "\(start):\(field(seconds / 60 % 60, 2)):\(field(seconds % 60, 2)).\(field(rest, 3))"
  }
}

/// Changes the tags and chapters that enter an element, in the streaming thread: removes those that
/// would be wrong in the new file or that we set on the muxer, and moves chapters to their times in
/// the output.
struct TagRevision: Sendable {
  /// The tags to remove.
  let names: [String]
  let edit: AudioEdit
  /// The input's duration.
  let duration: Duration

  func watch(_ element: Element) {
    element.watch("sink", .traffic) { passage in
      guard let event = passage.event else { return }
      let revised: UnsafeMutablePointer<GstEvent>?
      switch event.pointee.type {
      case GST_EVENT_TAG: revised = tags(of: event)
      case GST_EVENT_TOC: revised = chapters(of: event)
      default: return
      }
      guard let revised else { return }
      gst_event_unref(event)
      passage.replace(with: revised)
    }
  }

  private func tags(of event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
    var old: UnsafeMutablePointer<GstTagList>?
    gst_event_parse_tag(event, &old)
    guard let old, let copy = gst_mini_object_copy(cast(old)) else { return nil }
    let tags: UnsafeMutablePointer<GstTagList> = cast(copy)
    for name in names { gst_tag_list_remove_tag(tags, name) }
    let name = AudioTags.unreadFrame
    let frames = (0..<gst_tag_list_get_tag_size(old, name))
      .compactMap { gst_tag_list_get_value_index(old, name, $0) }.filter(Self.staysTrue)
    gst_tag_list_remove_tag(tags, name)
    if !names.contains(name) {
      for frame in frames { gst_tag_list_add_value(tags, GST_TAG_MERGE_APPEND, name, frame) }
    }
    return gst_event_new_tag(tags)
  }

  /// A private ID3 frame is still correct in an edited file unless it contains chapters, times or
  /// loudness.
  private static func staysTrue(_ frame: UnsafePointer<GValue>) -> Bool {
    let untrue = [
      "CHAP", "CTOC", "ETCO", "SYLT", "SYTC", "MLLT", "ASPI", "RVA2", "RVAD", "TLEN",
    ]
    let name = frame.sampleBytes(atMost: 4)
    return name.count == 4 && !untrue.contains(String(decoding: name, as: UTF8.self))
  }

  private func chapters(
    of event: UnsafeMutablePointer<GstEvent>
  ) -> UnsafeMutablePointer<GstEvent>? {
    var (toc, isUpdate) = (OpaquePointer?.none, gboolean(0))
    gst_event_parse_toc(event, &toc, &isUpdate)
    guard let toc else { return nil }
    defer { gst_mini_object_unref(UnsafeMutablePointer(toc)) }
    guard let revised = gst_toc_new(gst_toc_get_scope(toc)) else { return nil }
    defer { gst_mini_object_unref(UnsafeMutablePointer(revised)) }
    if let tags = gst_toc_get_tags(toc) {
      gst_toc_merge_tags(revised, tags, GST_TAG_MERGE_REPLACE)
    }
    for entry in self.revised(gst_toc_get_entries(toc)) { gst_toc_append_entry(revised, entry) }
    return gst_event_new_toc(revised, isUpdate)
  }

  /// The entries that are left, in their new order.
  private func revised(_ entries: UnsafeMutablePointer<GList>?) -> [OpaquePointer] {
    let revised = objects(in: entries).compactMap(revised)
    return edit.direction == .reverse ? revised.reversed() : revised
  }

  private func revised(_ entry: OpaquePointer) -> OpaquePointer? {
    var (start, stop): (gint64, gint64) = (0, -1)
    var range: Range<Duration>?
    // an edition, which contains chapters, doesn't have its own times
    if gst_toc_entry_get_start_stop_times(entry, &start, &stop) != 0 {
      let first = Duration.nanoseconds(max(start, 0))
      let last = max(stop > start ? Duration.nanoseconds(stop) : duration, first)
      range = edit.outputRange(of: first..<last, in: duration)
      if range == nil { return nil }
    }
    let type = gst_toc_entry_get_entry_type(entry)
    guard let revised = gst_toc_entry_new(type, gst_toc_entry_get_uid(entry)) else { return nil }
    if let range {
      gst_toc_entry_set_start_stop_times(
        revised, gint64(clamping: range.lowerBound.nanoseconds),
        gint64(clamping: range.upperBound.nanoseconds))
    }
    if let tags = gst_toc_entry_get_tags(entry) {
      gst_toc_entry_merge_tags(revised, tags, GST_TAG_MERGE_REPLACE)
    }
    for sub in self.revised(gst_toc_entry_get_sub_entries(entry)) {
      gst_toc_entry_append_sub_entry(revised, sub)
    }
    return revised
  }
}

func objects(in list: UnsafeMutablePointer<GList>?) -> [OpaquePointer] {
  sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }
    .compactMap { $0?.pointee.data.map { OpaquePointer($0) } }
}
