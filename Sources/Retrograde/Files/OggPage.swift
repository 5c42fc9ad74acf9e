// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A page of Ogg (RFC 3533, section 6), at the beginning of some bytes.
struct OggPage {
  /// The longest that a page can be.
  static let mostBytes = 27 + 255 + 255 * 255

  private let bytes: ArraySlice<UInt8>
  private let lacing: Range<Int>
  /// Behind its last byte.
  let end: Int

  /// nil where no whole page begins.
  init?(_ bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    guard bytes.count >= 27, bytes.prefix(4).elementsEqual("OggS".utf8) else { return nil }
    lacing = start + 27..<start + 27 + Int(clamping: bytes[start + 26])
    guard lacing.upperBound <= bytes.endIndex else { return nil }
    end = bytes[lacing].reduce(lacing.upperBound) { $0 + Int(clamping: $1) }
    guard end <= bytes.endIndex else { return nil }
    self.bytes = bytes[..<end]
  }

  private var flags: UInt8 { bytes[bytes.startIndex + 5] }
  /// Whether its stream begins with it.
  var isFirst: Bool { flags & 2 != 0 }
  /// Whether its stream ends with it.
  var isLast: Bool { flags & 4 != 0 }
  /// The number of the stream that it belongs to.
  var stream: ArraySlice<UInt8> { bytes.dropFirst(14).prefix(4) }

  /// How each packet begins that does not go on from the page before.
  var packets: [ArraySlice<UInt8>] {
    var isNew = flags & 1 == 0
    var place = lacing.upperBound
    var found: [ArraySlice<UInt8>] = []
    for length in bytes[lacing] {
      let next = place + Int(clamping: length)
      if isNew { found.append(bytes[place..<next]) }
      (place, isNew) = (next, length < 255)
    }
    return found
  }
}

extension ByteReader {
  /// The last page of the file; nil where it is not whole.
  var lastOggPage: OggPage? {
    let tail = bytes(at: max(count - OggPage.mostBytes, 0), count: OggPage.mostBytes)
    return tail.ranges(of: "OggS".utf8).last.flatMap { OggPage(tail[$0.lowerBound...]) }
  }

  /// Whether a stream begins behind the end of others: then one Ogg file follows another in it
  /// (RFC 3533, section 4: chained). All streams of a file begin before the first of them goes on.
  var isChainedOgg: Bool {
    guard let last = lastOggPage else { return false }
    var place = 0
    while let page = OggPage(bytes(at: place, count: OggPage.mostBytes)[...]), page.isFirst {
      if page.stream == last.stream { return false }
      place += page.end
    }
    return place > 0
  }
}
