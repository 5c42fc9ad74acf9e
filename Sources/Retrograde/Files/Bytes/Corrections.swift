// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Headers that we correct so that GStreamer reads the same sound as other programs.

extension ByteReader {
  /// The right byte rate for a PCM WAV if the one in its header is wrong. `wavparse` bases all
  /// times on it.
  var byteRateCorrection: HeaderCorrection? {
    func number(_ index: Int, _ count: Int) -> Int {
      all.waveHeader?.number(at: index, count: count, isBigEndian: false) ?? 0
    }
    let format = number(0, 2) == 0xFFFE ? number(24, 2) : number(0, 2)
    let (rate, frameBytes) = (number(4, 4), (number(14, 2) + 7) / 8 * number(2, 2))
    guard format == 1 || format == 3, frameBytes > 0, number(12, 2) == frameBytes,
      let header = all.waveHeader, number(8, 4) != rate * frameBytes,
      let bytesPerSecond = UInt32(exactly: rate * frameBytes)
    else { return nil }
    return HeaderCorrection(
      position: header.offset + 8,
      bytes: bytesPerSecond.littleEndian.bytes, end: endOfChunks)
  }

  /// `wavparse` refuses samples that don't fill their bytes. They're left-aligned, so we can treat
  /// them as if they did.
  var sampleSizeCorrection: HeaderCorrection? {
    func number(_ index: Int) -> Int {
      all.waveHeader?.number(at: index, count: 2, isBigEndian: false) ?? 0
    }
    let (channels, frameBytes, bits) = (number(2), number(12), number(14))
    guard number(0) == 1, channels > 0, bits > 0, frameBytes % channels == 0,
      (2...4).contains(frameBytes / channels), (bits + 7) / 8 < frameBytes / channels,
      let header = all.waveHeader
    else { return nil }
    return HeaderCorrection(
      position: header.offset + 14, bytes: [UInt8(clamping: 8 * frameBytes / channels), 0],
      end: endOfChunks)
  }

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
