// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

// What is in a file beside one sound and what GStreamer reads as tags.

extension AudioFile {
  static let video = "pictures (video)"

  /// Its parts in words, each once: what a pipeline has found and what only the bytes tell.
  func extras(_ pipeline: Pipeline, _ tags: AudioTags) -> [String] {
    var extras: [String] = []
    if cgst_count_streams(pipeline.pointer, "video/") > 0 { extras.append(Self.video) }
    if cgst_count_streams(pipeline.pointer, "video/") > 1 { extras.append("more video streams") }
    if cgst_count_streams(pipeline.pointer, "audio/") > 1 { extras.append("more audio streams") }
    let texts = ["text/", "subpicture/", "application/x-ssa", "application/x-ass"]
    if texts.contains(where: { cgst_count_streams(pipeline.pointer, $0) > 0 }) {
      extras.append("subtitles")
    }
    guard let bytes = ByteReader(url) else { return extras }
    let comments = tags.lists["extended-comment"] ?? []
    // in an ID3 tag they are comments like others
    let areRead = header(of: 3) != Array("ID3".utf8)
    if tags.chapters > 0
      || areRead && comments.contains(where: { ChapterComments.number(of: $0) != nil })
      || bytes.hasMP4Chapters || bytes.id3Frames.contains(where: { $0.name == "CHAP" })
    {
      extras.append("chapters")
    }
    return extras + bytes.unreadChunks.map { "the chunk \($0)" }
  }
}

extension ByteReader {
  /// The chunks of a WAV or AIFF that GStreamer does not read, by their four letters.
  fileprivate var unreadChunks: [String] {
    let form = text(at: 0, count: 4)
    guard form == "RIFF" || form == "FORM" else { return [] }
    let known: Set<String> =
      form == "RIFF"
      ? [
        "fmt ", "data", "fact", "LIST", "cue ", "acid", "JUNK", "junk", "PAD ", "FLLR", "PEAK",
      ] : ["COMM", "SSND", "FVER", "PEAK"]
    var (place, found) = (12, [String]())
    while place + 8 <= count, found.count < 20 {
      let name = text(at: place, count: 4)
      let size = number(at: place + 4, count: 4, isBigEndian: form == "FORM") ?? count
      if !known.contains(name), name.allSatisfy({ $0.isASCII && !$0.isNewline }),
        !found.contains(name)
      {
        found.append(name)
      }
      place += 8 + size + size % 2
    }
    return found
  }
}

// MARK: - MPEG-4

extension ByteReader {
  /// Chapters are a list, as Nero writes it, or a track that another one points to.
  fileprivate var hasMP4Chapters: Bool {
    guard text(at: 4, count: 4) == "ftyp", let movie = boxes(in: 0..<count, ["moov"]).first
    else { return false }
    let lists = boxes(in: movie, ["udta"]).flatMap { boxes(in: $0, ["chpl"]) }
    let pointers = boxes(in: movie, ["trak"]).flatMap { boxes(in: $0, ["tref"]) }
      .flatMap { boxes(in: $0, ["chap"]) }
    return !lists.isEmpty || !pointers.isEmpty
  }

  /// The content of boxes of some names that lie beside each other.
  func boxes(in range: Range<Int>, _ names: Set<String>) -> [Range<Int>] {
    var (place, found) = (range.lowerBound, [Range<Int>]())
    while place + 8 <= range.upperBound, let short = number(at: place, count: 4) {
      var (header, size) = (8, short)
      if short == 1, let long = number(at: place + 8, count: 8) { (header, size) = (16, long) }
      if short == 0 { size = range.upperBound - place }
      guard size >= header, size <= range.upperBound - place else { break }
      if names.contains(text(at: place + 4, count: 4)) {
        found.append(place + header..<place + size)
      }
      place += size
    }
    return found
  }
}

// MARK: - ID3

/// A frame of an ID3 tag.
struct ID3Frame {
  var name: String
  /// Without the header of the frame.
  var content: [UInt8]

  /// What it is called and says, where it is a text that a user has named (TXXX), in Latin 1 or
  /// UTF-8.
  var namedText: (name: String, text: String)? {
    guard name == "TXXX", let encoding = content.first, encoding == 0 || encoding == 3 else {
      return nil
    }
    let fields = content.dropFirst().split(separator: 0, omittingEmptySubsequences: false)
    guard fields.count >= 2 else { return nil }
    let texts = fields.prefix(2).map { field in
      encoding == 3
        ? String(decoding: field, as: UTF8.self)
        : String(String.UnicodeScalarView(field.map { Unicode.Scalar($0) }))
    }
    return (texts[0], texts[1])
  }
}

extension ByteReader {
  /// Those of an ID3 tag of version 2.3 or 2.4 at the beginning.
  var id3Frames: [ID3Frame] {
    let end = min(endOfID3, count)
    let version = bytes(at: 3, count: 1).first ?? 0
    guard end > 10, version == 3 || version == 4 else { return [] }
    var (place, frames) = (10, [ID3Frame]())
    while place + 10 <= end {
      let header = bytes(at: place, count: 10)
      guard header.count == 10, header[0] != 0 else { break }
      let shift = version == 4 ? 7 : 8
      let size = header[4..<8].reduce(0) { $0 << shift | Int(clamping: $1) }
      guard size <= end - place - 10 else { break }
      let name = String(decoding: header.prefix(4), as: UTF8.self)
      // pictures are large, and read by GStreamer
      frames.append(
        ID3Frame(name: name, content: bytes(at: place + 10, count: min(size, 1 << 16))))
      place += 10 + size
    }
    return frames
  }
}

extension AudioTags {
  /// Adds the texts of an ID3 tag that GStreamer does not read.
  mutating func addUnread(_ frames: [ID3Frame]) {
    let known = Set(lists.values.joined())
    for (name, text) in frames.compactMap(\.namedText) where !text.isEmpty && !known.contains(text)
    {
      if name.lowercased() == "comment", lists["comment"] == nil {
        add(unread: text, to: "comment")
      } else if name.allSatisfy({ $0.isASCII && $0 != "=" && $0 != "[" }),
        !known.contains(where: { $0.hasPrefix("\(name)=") })
      {
        add(unread: "\(name)=\(text)", to: "extended-comment")
      }
    }
  }
}
