// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// An Ogg page (RFC 3533, section 6).
struct OggPage {
  static let maxBytes = 27 + 255 + 255 * 255
  /// The maximum number of streams that we accept in a file.
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
  var isFirst: Bool { flags & 2 != 0 }
  var isLast: Bool { flags & 4 != 0 }
  var stream: Int? { header.number(at: 14, count: 4) }

  /// The first 255 bytes, at most, of each packet that begins in this page.
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
  mutating func consumeOggPage() -> OggPage? { OggPage(consumedFrom: &self) }
}

extension ByteReader {
  var lastOggPage: OggPage? {
    let tail = all.suffix(OggPage.maxBytes)
    guard let index = tail.bytes.ranges(of: "OggS".utf8).last?.lowerBound else { return nil }
    var page = tail.dropFirst(index)
    return page.consumeOggPage()
  }

  /// The bytes of each link, a group of streams that begins after the previous ones have ended (RFC
  /// 3533, section 4). A chained file has several. To find them, we read the headers of all pages.
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

  /// GStreamer takes a millisecond per stream, and no real file starts with this many.
  var hasTooManyOggStreams: Bool {
    first.dropFirst(OggPage.maxStreams).contains { _ in true }
  }

  private var first: some Sequence<OggPage> {
    all.parts { $0.consumeOggPage() }.lazy.prefix(OggPage.maxStreams + 1).prefix { $0.isFirst }
  }
}
