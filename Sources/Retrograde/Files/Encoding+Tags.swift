// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension Encoding {
  /// Tags that we have to set on the muxer, because it ignores some of those in the stream and
  /// needs dates in a different form.
  func tags(for input: AudioInformation) -> [String: String] {
    // wavenc only uses the tags in the last event, and matroskamux only those in the first
    var tags = type == .wav || type == .mka ? input.tags.single : [:]
    switch type {
    case .wav, .m4a, .mp4, .mp3, .mka:
      if input.tags["date"] == nil { tags["date"] = input.tags["datetime"].flatMap(Self.day) }
    case .flac, .ogg, .opus:
      if input.tags["datetime"] == nil { tags["datetime"] = input.tags["date"] }
    case .aiff: break
    }
    return tags
  }

  private static func day(_ time: String) -> String? {
    let fields = time.prefix { $0 != "T" }.split(separator: "-").prefix(3)
    guard let year = fields.first, year.count == 4 else { return nil }
    return (fields + ["01", "01"]).prefix(3).joined(separator: "-")
  }
}

extension Pipeline {
  /// Sets a tag on every encoder and muxer, to values as gst_value_serialize() writes them. It
  /// replaces the one in the stream.
  func setTag(_ name: String, to values: [String]) {
    guard gst_tag_exists(name) != 0 else { return }
    for (index, text) in values.enumerated() {
      var value = GValue()
      g_value_init(&value, gst_tag_get_type(name))
      defer { g_value_unset(&value) }
      if value.g_type == g_type_from_name("gchararray") {
        g_value_set_string(&value, text)
      } else if gst_value_deserialize(&value, text) == 0 {
        continue
      }
      let mode = index == 0 ? GST_TAG_MERGE_REPLACE : GST_TAG_MERGE_APPEND
      let setters = gst_bin_iterate_all_by_interface(cast(pointer), gst_tag_setter_get_type())
      for setter in Element.all(setters) {
        gst_tag_setter_add_tag_value(OpaquePointer(setter.pointer), mode, name, &value)
      }
    }
  }
}
