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
    let streams = pipeline.streams
    let videos = streams.count { $0.hasPrefix("video/") }
    if videos > 0 { extras.append(Self.video) }
    if videos > 1 { extras.append("more video streams") }
    if streams.count(where: { $0.hasPrefix("audio/") }) > 1 {
      // decodebin sorts streams by their names, which in Ogg are serial numbers
      let isOgg = header(of: 4) == Array("OggS".utf8)
      let taken = isOgg ? "that with the lowest serial number" : "the first one"
      extras.append("\(Self.moreAudio) (\(taken) was taken)")
    }
    let texts = ["text/", "subpicture/", "application/x-ssa", "application/x-ass"]
    if streams.contains(where: { stream in texts.contains(where: stream.hasPrefix) }) {
      extras.append("subtitles")
    }
    guard let bytes = ByteReader(url) else { return extras }
    // GStreamer reads chapters in an ID3 tag as comments
    let areRead = !bytes.all.has("ID3")
    if tags.hasChapters || areRead && tags.hasChapterComments || bytes.hasMP4Chapters {
      extras.append("chapters")
    }
    return extras + tags.unreadFrames.sorted().map { "the ID3 frame \($0)" }
      + bytes.unreadChunks.map { "the chunk \($0)" }
  }
}

extension Pipeline {
  /// The types of the streams in a file, such as "video/x-h264", including those that aren't
  /// decoded. Empty if the file doesn't need a demuxer.
  fileprivate var streams: [String] {
    elements.filter { $0.isA("Demux") }.flatMap { demuxer in
      Element.all(gst_element_iterate_src_pads(demuxer.pointer)).compactMap { pad in
        let pad: UnsafeMutablePointer<GstPad> = cast(pad.pointer)
        return pad.withCaps(\.name)
      }
    }
  }
}
