// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// An Ogg page (RFC 3533, section 6).
struct OggPage {
  /// The maximum size of a page.
  static let maxBytes = 27 + 255 + 255 * 255
  /// The maximum number of streams that are accepted in a file.
  static let maxStreams = 100

  private let header: ByteRange
  private let lacing: ByteRange
  private let content: ByteRange

  fileprivate init?(consumedFrom bytes: inout ByteRange) {
    var rest = bytes
    guard rest.has("OggS"), let header = rest.consume(27), let segments = header[26],
      let lacing = rest.consume(Int(clamping: segments)),
      let content = rest.consume(lacing.bytes.reduce(0) { $0 + Int(clamping: $1) })
    else { return nil }
    (self.header, self.lacing, self.content) = (header, lacing, content)
    bytes = rest
  }

  private var flags: UInt8 { header[5] ?? 0 }
  /// Whether this is the first page of its stream.
  var isFirst: Bool { flags & 2 != 0 }
  /// Whether this is the last page of its stream.
  var isLast: Bool { flags & 4 != 0 }
  var stream: Int? { header.number(at: 14, count: 4) }

  /// The beginnings of the packets that begin in this page: at most 255 bytes of each.
  var packets: [ByteRange] {
    var isNew = flags & 1 == 0
    var rest = content
    var found: [ByteRange] = []
    for length in lacing.bytes {
      guard let segment = rest.consume(Int(clamping: length)) else { break }
      if isNew { found.append(segment) }
      isNew = length < 255
    }
    return found
  }
}

extension ByteRange {
  /// Removes and returns the first page, or nil if it is incomplete.
  mutating func consumeOggPage() -> OggPage? { OggPage(consumedFrom: &self) }
}

extension ByteReader {
  /// The last page of the file, or nil if it is incomplete.
  var lastOggPage: OggPage? {
    let tail = all.suffix(OggPage.maxBytes)
    guard let index = tail.bytes.ranges(of: "OggS".utf8).last?.lowerBound else { return nil }
    var page = tail.dropFirst(index)
    return page.consumeOggPage()
  }

  /// The bytes of each group of streams that begins after others have ended (RFC 3533, section 4).
  /// There are several if the file is chained. Reads the headers of all pages.
  var oggLinks: [Range<Int>] {
    guard all.has("OggS") else { return [] }
    var (starts, wasFirst, rest) = ([Int](), false, all)
    for _ in 0..<ByteRange.maxParts {
      let start = rest.offset
      guard let page = rest.consumeOggPage() else { break }
      if page.isFirst, !wasFirst { starts.append(start) }
      wasFirst = page.isFirst
    }
    return zip(starts, starts.dropFirst() + [count]).map { $0..<$1 }
  }

  /// Whether more streams begin at the start of the file than in any real file. GStreamer needs a
  /// millisecond for each stream.
  var hasTooManyOggStreams: Bool {
    first.dropFirst(OggPage.maxStreams).contains { _ in true }
  }

  /// The pages at the beginning of the file that each begin a stream.
  private var first: some Sequence<OggPage> {
    all.parts { $0.consumeOggPage() }.lazy.prefix(OggPage.maxStreams + 1).prefix { $0.isFirst }
  }
}
