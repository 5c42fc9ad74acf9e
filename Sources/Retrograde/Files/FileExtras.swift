// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// Extras are everything in a file besides one audio stream and the tags that GStreamer reads.

extension AudioInformation {
  package var hasPictures: Bool { extras.contains(AudioFile.video) }
}

extension AudioFile {
  static let video = "pictures (video)"
  static let moreAudio = "more audio streams"

  /// A pipeline finds some of the extras, but we can only find others in the bytes of the file. No
  /// description appears twice.
  func extras(_ pipeline: Pipeline, _ tags: AudioTags) -> [String] {
    var extras: [String] = []
    if cgst_count_streams(pipeline.pointer, "video/") > 0 { extras.append(Self.video) }
    if cgst_count_streams(pipeline.pointer, "video/") > 1 { extras.append("more video streams") }
    if cgst_count_streams(pipeline.pointer, "audio/") > 1 {
      // decodebin sorts streams by their names, which in Ogg are serial numbers
      let isOgg = header(of: 4) == Array("OggS".utf8)
      let taken = isOgg ? "that with the lowest serial number" : "the first one"
      extras.append("\(Self.moreAudio) (\(taken) was taken)")
    }
    let texts = ["text/", "subpicture/", "application/x-ssa", "application/x-ass"]
    if texts.contains(where: { cgst_count_streams(pipeline.pointer, $0) > 0 }) {
      extras.append("subtitles")
    }
    guard let bytes = ByteReader(url) else { return extras }
    let comments = tags.lists["extended-comment"] ?? []
    // GStreamer reads chapters in an ID3 tag as comments.
    let areRead = header(of: 3) != Array("ID3".utf8)
    if tags.chapters > 0
      || areRead && comments.contains(where: { ChapterComments.number(of: $0) != nil })
      || bytes.hasMP4Chapters
    {
      extras.append("chapters")
    }
    return extras + bytes.unreadChunks.map { "the chunk \($0)" }
  }
}
