// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// Some of the input's tags would be wrong in the new file, such as loudness, tempo and chapters, so
// we change or remove them.

extension AudioEdit {
  /// True if every chapter still begins at the same time.
  var keepsTimes: Bool { !changesDuration && (keepsRest || region == nil && direction == .forward) }

  func revised(_ tags: AudioTags) -> AudioTags {
    var tags = tags
    for name in tags.lists.keys where isLoudness(name) && !keepsLoudness {
      tags.set(name, to: [])
    }
    if changesDuration {
      tags.set("musical-key", to: [])
      tags.set("beats-per-minute", to: tags.lists["beats-per-minute"]?.compactMap(tempo) ?? [])
    }
    let comments = tags.lists["extended-comment"] ?? []
    tags.set("extended-comment", to: comments.filter(isTrue))
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
    if AudioTags.isChapter(comment: comment) { return keepsTimes }
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

extension AudioTags {
  /// True for `CHAPTER001=00:00:12.500`, the start of a chapter in Vorbis, Opus and FLAC, and for its
  /// name, `CHAPTER001NAME=…`.
  static func isChapter(comment: String) -> Bool {
    comment.uppercased().prefixMatch(of: /CHAPTER[0-9]/) != nil
  }

  var hasChapterComments: Bool {
    lists["extended-comment"]?.contains(where: Self.isChapter) ?? false
  }
}

/// Changes the tags that enter an element, in the streaming thread: removes those that would be wrong
/// in the new file or that we set on the muxer.
struct TagRevision: Sendable {
  /// The tags to remove.
  let names: [String]
  let keepsChapters: Bool

  func watch(_ element: Element) {
    element.probe("sink", .events) { passage in
      guard let event = passage.event else { return GST_PAD_PROBE_OK }
      if event.pointee.type == GST_EVENT_TOC, !keepsChapters { return GST_PAD_PROBE_DROP }
      guard event.pointee.type == GST_EVENT_TAG, let revised = tags(of: event) else {
        return GST_PAD_PROBE_OK
      }
      gst_event_unref(event)
      passage.replace(with: revised)
      return GST_PAD_PROBE_OK
    }
  }

  private func tags(of event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
    var old: UnsafeMutablePointer<GstTagList>?
    gst_event_parse_tag(event, &old)
    guard let old, let copy = gst_mini_object_copy(cast(old)) else { return nil }
    let tags: UnsafeMutablePointer<GstTagList> = cast(copy)
    // they may contain chapters, times or loudness
    for name in names + [AudioTags.unreadFrame] { gst_tag_list_remove_tag(tags, name) }
    return gst_event_new_tag(tags)
  }
}
