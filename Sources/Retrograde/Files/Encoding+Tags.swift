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
    case .w64, .aiff: break
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
  func setTags(_ tags: [String: String]) {
    for (name, text) in tags { _ = cgst_set_tag(pointer, name, text, 0) }
  }

  func setTag(_ name: String, to values: [String]) {
    for (index, value) in values.enumerated() {
      _ = cgst_set_tag(pointer, name, value, index == 0 ? 0 : 1)
    }
  }
}
