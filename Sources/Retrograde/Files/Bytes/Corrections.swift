// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Headers that we correct so that GStreamer reads the same sound as other programs.

extension ByteReader {
  var xingHeader: ByteRange? {
    let music = all.dropFirst(all.id3Bytes)
    let frame = music.prefix(64).bytes
    guard frame.count == 64, frame[0] == 0xFF,
      let position = frame.firstRange(of: "Xing".utf8) ?? frame.firstRange(of: "Info".utf8)
    else { return nil }
    return music.dropFirst(position.lowerBound)
  }

  /// True if the Xing header of an MP3 contains the number of frames.
  var declaresFrames: Bool { (xingHeader?.number(at: 4, count: 4) ?? 0) & 1 == 1 }

  /// The extension of the Xing header says how much silence the encoder has added. GStreamer 1.22's
  /// parser only reads it if it names LAME, but other encoders write it, too. This is the position
  /// of the encoder's name, or nil if it's LAME's or if there's no such header.
  var foreignGaplessTag: Int? {
    guard let header = xingHeader, let flags = header.number(at: 4, count: 4) else { return nil }
    let sizes = [4, 4, 100, 4].enumerated().map { (flags >> $0.offset & 1) * $0.element }
    let tag = header.dropFirst(8 + sizes.reduce(0, +))
    guard let name = tag.name(at: 0), name != "LAME", let delays = tag.number(at: 21, count: 3),
      delays > 0
    else { return nil }
    return tag.offset
  }
}
