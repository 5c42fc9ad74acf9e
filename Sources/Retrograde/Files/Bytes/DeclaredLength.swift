// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension ByteReader {
  /// The length that the file declares, in bytes, which is more than its real length if it was cut
  /// off.
  ///
  /// GStreamer reads truncated files to the end without an error.
  var declaredByteCount: Int? {
    if let lengths = longLengths {
      return all.dropFirst(8 - lengths.data % 2).end(of: lengths.file)
    }
    if all.has("RIFF") { return chunkEnd(isBigEndian: false) }
    if all.has("FORM") { return chunkEnd(isBigEndian: true) }
    if all.has("ftyp", at: 4) { return boxesEnd }
    if all.has("Creative Voice File") { return voiceEnd }
    return segmentEnd ?? xingEnd ?? headerEnd
  }

  /// The declared end of a WAV or AIFF. Nil if the file was written to a pipe, because the length
  /// wasn't known then. Some programs count the last pad byte but don't write it.
  private func chunkEnd(isBigEndian: Bool) -> Int? {
    guard let size = all.number(at: 4, count: 4, isBigEndian: isBigEndian), Self.isKnown(size)
    else { return nil }
    let end = all.dropFirst(8).end(of: size)
    return end == count + 1 && lastChunkEnd(isBigEndian: isBigEndian) == count ? count : end
  }

  /// What's missing at the end of a file that doesn't declare its length.
  var brokenEnd: String? {
    if all.has("OggS") { return lastOggPage?.isLast == true ? nil : "its last Ogg page is missing" }
    let isTransport = [0, 188, 376].allSatisfy { all[$0] == 0x47 } && count % 188 != 0
    let size = all.has("FLV") ? all.suffix(4).number(at: 0, count: 4) ?? 0 : 0
    let isFlash = all.has("FLV") && all.suffix(size + 4).number(at: 1, count: 3) != size - 11
    return isTransport || isFlash ? "its last packet is incomplete" : nil
  }

  /// Where an MP4 box should end, if it extends past the end of the file.
  private var boxesEnd: Int? {
    let ends = all.parts { (rest: inout ByteRange) -> Int? in
      // anything shorter may just be padding
      guard rest.count >= 16, let header = MP4BoxHeader(rest) else { return nil }
      let end = rest.end(of: header.byteCount)
      rest = rest.dropFirst(header.byteCount)
      return end
    }
    return ends.first { $0 > count }
  }

  /// Where a VOC block should end, if it extends past the end of the file.
  private var voiceEnd: Int? {
    let blocks = all.dropFirst(all.number(at: 20, count: 2, isBigEndian: false) ?? 26)
    let ends = blocks.parts { (rest: inout ByteRange) -> Int? in
      guard rest[0] != 0, let size = rest.number(at: 1, count: 3, isBigEndian: false) else {
        return nil
      }
      defer { rest = rest.dropFirst(4 + size) }
      return rest.end(of: 4 + size)
    }
    return ends.first { $0 > count }
  }

  /// The Segment element of Matroska contains all other elements (RFC 9559, section 4.5). This is
  /// its declared end.
  private var segmentEnd: Int? {
    var rest = all
    guard rest.consume(4)?.number(at: 0, count: 4) == 0x1A45_DFA3,
      let head = rest.consumeEBMLSize(),
      rest.consume(head) != nil, rest.consume(4)?.number(at: 0, count: 4) == 0x1853_8067
    else { return nil }
    return rest.consumeEBMLSize().map { rest.end(of: $0) }
  }

  /// The end that a header of fixed size declares: AU, DSF, TTA, and Monkey's Audio since 3.98.
  private var headerEnd: Int? {
    func number(_ index: Int, _ count: Int) -> Int? {
      all.number(at: index, count: count, isBigEndian: false)
    }
    if all.has(".snd"), let size = all.number(at: 8, count: 4), Self.isKnown(size) {
      return all.number(at: 4, count: 4).map { all.dropFirst($0).end(of: size) }
    }
    if all.has("DSD ") { return number(12, 8).map(all.end) }
    if all.has("MAC "), let version = number(4, 2), version >= 3980 {
      // the descriptor, the header, the seek table, the header of the WAV, the frames, the tail
      return all.end(of: [8, 12, 16, 20, 24, 32].reduce(0) { $0 + (number($1, 4) ?? 0) })
    }
    return trueAudioEnd
  }

  private var trueAudioEnd: Int? {
    let sound = all.dropFirst(all.id3Bytes)
    guard sound.has("TTA1"), let rate = sound.number(at: 10, count: 4, isBigEndian: false),
      let total = sound.number(at: 14, count: 4, isBigEndian: false), rate > 0, rate < 1 << 20
    else { return nil }
    let count = (total + rate * 256 / 245 - 1) / max(rate * 256 / 245, 1)
    let table = sound.dropFirst(22).prefix(4 * count)
    let sizes = (0..<table.count / 4).map {
      table.number(at: 4 * $0, count: 4, isBigEndian: false) ?? 0
    }
    return sound.dropFirst(22).dropFirst(4 * count + 4).end(of: sizes.reduce(0, +))
  }

  /// The end that the Xing header in the first frame declares.
  private var xingEnd: Int? {
    guard let header = xingHeader, let flags = header.number(at: 4, count: 4), flags & 2 != 0
    else { return nil }
    let music = all.dropFirst(all.id3Bytes)
    return header.number(at: flags & 1 != 0 ? 12 : 8, count: 4).map { music.end(of: $0) }
  }
}

extension ByteRange {
  /// Removes and returns the size of an EBML element (RFC 8794, section 4). Nil if the size is
  /// unknown.
  fileprivate mutating func consumeEBMLSize() -> Int? {
    let length = (self[0] ?? 0).leadingZeroBitCount + 1
    guard length <= 8, let field = consume(length), let value = field.number(at: 0, count: length)
    else { return nil }
    let marker = 1 << (7 * length)
    return value < 2 * marker - 1 ? value - marker : nil
  }

  /// The length of the ID3 tags at the beginning of the file, or 0 if there are none. A tag stores
  /// its length in four bytes of seven bits each.
  var id3Bytes: Int {
    let tags = parts { (rest: inout ByteRange) -> Int? in
      guard rest.has("ID3") else { return nil }
      let length = rest.dropFirst(6).prefix(4).bytes.reduce(0) {
        $0 << 7 | Int(clamping: $1 & 0x7F)
      }
      rest = rest.dropFirst(10 + length)
      return 10 + length
    }
    return tags.reduce(0, +)
  }
}
