// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// What a file says about itself: title, artist and the like.
public struct Tags: Sendable, Equatable, Codable {
  /// By GStreamer's names ("title", "artist", "track-number"); several values
  /// of a name are joined by ", ". Pictures are named with their size alone.
  public private(set) var values: [String: String] = [:]
  /// Names of those that are about the whole file: a track's title does not replace that of the file.
  private var global: Set<String> = []

  private enum CodingKeys: CodingKey { case values }

  /// By GStreamer's names, as in ``values``.
  public init(_ values: [String: String] = [:]) {
    self.values = values
  }

  /// The value of a name of GStreamer's.
  public subscript(name: String) -> String? { values[name] }
  /// The name of the song, or of the recording.
  public var title: String? { values["title"] }
  /// Who plays it.
  public var artist: String? { values["artist"] }
  /// The album that it is on.
  public var album: String? { values["album"] }

  /// Those that describe the audio itself rather than how it is stored: they
  /// are what a new file should keep.
  public var descriptive: Tags {
    Tags(
      values.filter { name, value in
        !Self.technical.contains(name) && !value.hasPrefix("WAVEFORMATEXTENSIBLE_CHANNEL_MASK")
      })
  }

  /// Whether GStreamer puts a text into quotes when it serializes it.
  static func isQuoted(_ text: String) -> Bool {
    !text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-+/:.".contains($0)) }
  }

  /// Those whose values are text alone.
  var single: [String: String] { values.filter { !$0.value.hasSuffix(" bytes)") } }

  /// The value of a name. Dates and pictures go by one of two names, as the
  /// container has it.
  func counterpart(of name: String) -> String? {
    values[name] ?? Self.otherNames[name].flatMap { values[$0] }
  }

  private static let otherNames = [
    "date": "datetime", "datetime": "date", "image": "preview-image", "preview-image": "image",
  ]

  /// Whether a tag of another list says the same here. Dates may have become more exact.
  func keeps(_ name: String, of other: Tags) -> Bool {
    guard let before = other[name], let after = counterpart(of: name) else { return false }
    switch name {
    case "date", "datetime":
      // of a year alone, some containers make its first day
      let known = before.hasSuffix("-01-01") ? before.prefix(4) : before[...]
      return after.filter(\.isNumber).hasPrefix(known.filter(\.isNumber))
    case "image", "preview-image": return true
    default: return after == before
    }
  }

  /// Adds what is new, and replaces what is known by another value.
  mutating func merge(_ other: Tags) {
    let fixed = global.subtracting(other.global)
    values.merge(other.values.filter { !fixed.contains($0.key) }) { _, new in new }
    global.formUnion(other.global)
  }

  private static let technical: Set<String> = [
    "audio-codec", "bitrate", "codec", "container-format", "container-specific-track-id",
    "encoder", "encoder-version", "has-crc", "channel-mode", "language-code", "layer",
    "maximum-bitrate", "minimum-bitrate", "mode", "nominal-bitrate", "emphasis", "serial",
    "application-name", "video-codec", "private-id3v2-frame",
  ]
}

extension Tags {
  init(of message: UnsafeMutablePointer<GstMessage>) {
    var list: UnsafeMutablePointer<GstTagList>?
    gst_message_parse_tag(message, &list)
    self.init()
    guard let list else { return }
    defer { gst_tag_list_unref(list) }
    add(list)
    if gst_tag_list_get_scope(list) == GST_TAG_SCOPE_GLOBAL { global = Set(values.keys) }
  }

  private mutating func add(_ list: UnsafeMutablePointer<GstTagList>) {
    for index in 0..<max(gst_tag_list_n_tags(list), 0) {
      guard let name = gst_tag_list_nth_tag_name(list, UInt32(clamping: index)) else { continue }
      values[String(cString: name)] = Self.text(of: name, in: list)
    }
  }

  private static func text(of name: UnsafePointer<gchar>, in list: UnsafePointer<GstTagList>)
    -> String
  {
    (0..<gst_tag_list_get_tag_size(list, name))
      .compactMap { gst_tag_list_get_value_index(list, name, $0) }
      .map(text).joined(separator: ", ")
  }

  private static func text(of value: UnsafePointer<GValue>) -> String {
    if let string = cgst_value_string(value) { return String(cString: string) }
    let size = cgst_value_sample_bytes(value)
    if size > 0 { return "(\(size) bytes)" }
    return take(gst_value_serialize(value)).replacing("\\", with: "")
  }
}
