// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// The tags of a file, such as title and artist.
///
/// ```swift
/// let tags = try await song.information().tags
/// print(tags.title ?? song.name, tags["track-number"] ?? "")
/// ```
public struct AudioTags: Sendable, Equatable, Codable {
  /// The tags by GStreamer's names ("title", "artist", "track-number"). Several values of the same
  /// tag are joined by ", ". For a picture, you only get its size, and what it shows unless it's
  /// the front cover.
  public var values: [String: String] { lists.mapValues { $0.joined(separator: ", ") } }
  private(set) var lists: [String: [String]] = [:]
  /// GStreamer doesn't report chapters as tags.
  var hasChapters = false
  /// The names of ID3 frames that GStreamer forwards without reading them.
  private(set) var unreadFrames: Set<String> = []
  /// Tags that apply to the whole file. `merge(_:)` doesn't overwrite them with values for a single
  /// track, such as its title.
  private var global: Set<String> = []

  /// Takes tags by GStreamer's names, as in ``values``.
  public init(_ values: [String: String] = [:]) {
    lists = values.mapValues { [$0] }
  }

  /// The value of the tag that GStreamer calls `name`.
  public subscript(name: String) -> String? { lists[name]?.joined(separator: ", ") }
  /// The title of the song or recording.
  public var title: String? { values["title"] }
  /// The performer.
  public var artist: String? { values["artist"] }
  /// The title of the album.
  public var album: String? { values["album"] }

  /// The tags that describe the audio rather than how it's stored, so a new file should keep them.
  public var descriptive: AudioTags {
    var tags = self
    tags.lists = lists.filter { !Self.technical.contains($0.key) }
    let comments = tags.lists["extended-comment"]?.filter { !Self.isTechnical(comment: $0) }
    tags.lists["extended-comment"] = comments?.isEmpty == true ? nil : comments
    return tags
  }

  mutating func set(_ name: String, to list: [String]) {
    lists[name] = list.isEmpty ? nil : list
  }

  /// True for technical data that would be wrong in a new file. iTunSMPB would even make players
  /// cut off the end.
  private static func isTechnical(comment: String) -> Bool {
    let key = comment.prefix { $0 != "=" && $0 != "[" }.uppercased()
    return key.hasPrefix("_STATISTICS_")
      || [
        "WAVEFORMATEXTENSIBLE_CHANNEL_MASK", "ITUNSMPB", "DURATION", "BPS", "NUMBER_OF_FRAMES",
        "NUMBER_OF_BYTES",
      ].contains(key)
  }

  var single: [String: String] { values.filter { !Self.isPicture($0.value) } }

  private static func isPicture(_ text: String) -> Bool {
    text.wholeMatch(of: /\([0-9]+ bytes(, .*)?\)/) != nil
  }

  var pictureBytes: Int {
    lists.values.joined().filter(Self.isPicture)
      .reduce(0) { $0 + (Int($1.dropFirst().prefix(while: \.isNumber), radix: 10) ?? 0) }
  }

  /// Dates and pictures go by two names, depending on the container, so we look for both.
  func counterpart(of name: String) -> String? {
    self[name] ?? Self.otherNames[name].flatMap { self[$0] }
  }

  static let otherNames = [
    "date": "datetime", "datetime": "date", "image": "preview-image", "preview-image": "image",
  ]

  mutating func merge(_ other: AudioTags) {
    let fixed = global.subtracting(other.global)
    lists.merge(other.lists.filter { !fixed.contains($0.key) }) { _, new in new }
    global.formUnion(other.global)
    unreadFrames.formUnion(other.unreadFrames)
    hasChapters = hasChapters || other.hasChapters
  }

  private static let technical: Set<String> = [
    "audio-codec", "bitrate", "codec", "container-format", "container-specific-track-id",
    "encoder", "encoder-version", "has-crc", "channel-mode", "language-code", "layer",
    "maximum-bitrate", "minimum-bitrate", "mode", "nominal-bitrate", "emphasis", "serial",
    "application-name", "video-codec", unreadFrame,
  ]
}

extension AudioTags {
  init(of message: UnsafeMutablePointer<GstMessage>) {
    var list: UnsafeMutablePointer<GstTagList>?
    gst_message_parse_tag(message, &list)
    self.init()
    guard let list else { return }
    defer { gst_tag_list_unref(list) }
    add(list)
    if gst_tag_list_get_scope(list) == GST_TAG_SCOPE_GLOBAL { global = Set(lists.keys) }
  }

  private mutating func add(_ list: UnsafeMutablePointer<GstTagList>) {
    for index in 0..<max(gst_tag_list_n_tags(list), 0) {
      guard let name = gst_tag_list_nth_tag_name(list, UInt32(clamping: index)) else { continue }
      lists[String(cString: name)] = Self.texts(of: name, in: list)
    }
    unreadFrames = Set(
      (0..<gst_tag_list_get_tag_size(list, Self.unreadFrame))
        .compactMap { gst_tag_list_get_value_index(list, Self.unreadFrame, $0)?.frameName })
  }

  private static func texts(of name: UnsafePointer<gchar>, in list: UnsafePointer<GstTagList>)
    -> [String]
  {
    (0..<gst_tag_list_get_tag_size(list, name))
      .compactMap { gst_tag_list_get_value_index(list, name, $0) }
      .map(text)
  }

  static let unreadFrame = "private-id3v2-frame"

  /// If the file doesn't say what a picture shows, we assume that it's the front cover, as MP4
  /// does.
  private static let usualPictures = ["", "none", "undefined", "front-cover"]

  private static func text(of value: UnsafePointer<GValue>) -> String {
    if value.holds("gchararray"), let string = g_value_get_string(value) {
      return String(cString: string)
    }
    if let sample = value.sample, let size = gst_sample_get_buffer(sample)?.size, size > 0 {
      let info = gst_sample_get_info(sample)
      let type =
        info.flatMap { gst_structure_get_value($0, "image-type") }
        .map { adopt(gst_value_serialize($0)) } ?? ""
      return "(\(size) bytes\(usualPictures.contains(type) ? "" : ", \(type)"))"
    }
    // "3.1" instead of the 3.1000000000000001 that GStreamer writes
    if value.holds("gdouble") {
      let number = g_value_get_double(value)
      return number == number.rounded() && abs(number) < 1e15
        ? String(Int(saturating: number)) : "\(number)"
    }
    return adopt(gst_value_serialize(value)).replacing("\\", with: "")
  }
}

extension UnsafePointer<GValue> {
  func holds(_ type: String) -> Bool { pointee.g_type == g_type_from_name(type) }

  /// A sample, such as a picture, which the value owns. Nil if it has another type.
  var sample: OpaquePointer? {
    holds("GstSample") ? g_value_get_boxed(self).map { OpaquePointer($0) } : nil
  }

  /// The name of the ID3 frame in a sample.
  var frameName: String {
    let bytes = sample.flatMap { gst_sample_get_buffer($0) }?.bytes(atMost: 4) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A buffer, such as a header, which the value owns. Nil if it has another type.
  var buffer: UnsafeMutablePointer<GstBuffer>? {
    guard holds("GstBuffer") else { return nil }
    return g_value_get_boxed(self)?.assumingMemoryBound(to: GstBuffer.self)
  }
}

extension UnsafeMutablePointer<GstBuffer> {
  func bytes(atMost most: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Swift.min(size, most)) {
      $1 = Int(clamping: gst_buffer_extract(self, 0, $0.baseAddress, gsize(clamping: $0.count)))
    }
  }
}
