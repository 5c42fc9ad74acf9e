// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A page of Ogg (RFC 3533, section 6).
struct OggPage {
  /// The longest that a page can be.
  static let mostBytes = 27 + 255 + 255 * 255
  /// Most streams that may begin in a file.
  static let mostStreams = 100

  private let header: ByteRange
  private let lacing: ByteRange
  private let content: ByteRange

  fileprivate init?(takenFrom bytes: inout ByteRange) {
    var rest = bytes
    guard rest.has("OggS"), let header = rest.take(27), let segments = header[26],
      let lacing = rest.take(Int(clamping: segments)),
      let content = rest.take(lacing.bytes.reduce(0) { $0 + Int(clamping: $1) })
    else { return nil }
    (self.header, self.lacing, self.content) = (header, lacing, content)
    bytes = rest
  }

  private var flags: UInt8 { header[5] ?? 0 }
  /// Whether its stream begins with it.
  var isFirst: Bool { flags & 2 != 0 }
  /// Whether its stream ends with it.
  var isLast: Bool { flags & 4 != 0 }
  /// The number of the stream that it belongs to.
  var stream: Int? { header.number(at: 14, count: 4) }

  /// The part in this page of each packet that begins in it.
  var packets: [ByteRange] {
    var isNew = flags & 1 == 0
    var rest = content
    var found: [ByteRange] = []
    for length in lacing.bytes {
      guard let segment = rest.take(Int(clamping: length)) else { break }
      if isNew { found.append(segment) }
      isNew = length < 255
    }
    return found
  }
}

extension ByteRange {
  /// Takes off the page that it begins with; nil if that is not whole.
  mutating func takeOggPage() -> OggPage? { OggPage(takenFrom: &self) }
}

extension ByteReader {
  /// The last page of the file; nil if it is not whole.
  var lastOggPage: OggPage? {
    let tail = all.suffix(OggPage.mostBytes)
    guard let place = tail.bytes.ranges(of: "OggS".utf8).last?.lowerBound else { return nil }
    var page = tail.dropFirst(place)
    return page.takeOggPage()
  }

  /// Whether a stream begins after the end of others: the file is chained then (RFC 3533, section
  /// 4). In an unchained one all streams begin before the second page of any.
  var isChainedOgg: Bool {
    guard let last = lastOggPage, first.contains(where: { _ in true }) else { return false }
    return !first.contains { $0.stream == last.stream }
  }

  /// Whether more streams begin in it than can be of use. GStreamer takes a millisecond for each.
  var hasTooManyOggStreams: Bool {
    first.dropFirst(OggPage.mostStreams).contains { _ in true }
  }

  /// The pages with which streams begin, at the beginning of the file.
  private var first: some Sequence<OggPage> {
    all.parts { $0.takeOggPage() }.lazy.prefix(OggPage.mostStreams + 1).prefix { $0.isFirst }
  }
}
