// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// A change to a file's header that makes GStreamer 1.22 read all of the sound.
struct HeaderCorrection {
  /// The position of the bytes that we replace.
  let position: Int
  let bytes: [UInt8]
  /// Where the file ends as far as GStreamer can tell.
  let end: Int

  /// Makes a source in pull mode return the changed file.
  func watch(_ source: Element) {
    source.probe("src", GST_PAD_PROBE_TYPE_QUERY_UPSTREAM) { passage in
      var format = GST_FORMAT_UNDEFINED
      guard let query = passage.query, query.pointee.type == GST_QUERY_DURATION else {
        return GST_PAD_PROBE_OK
      }
      gst_query_parse_duration(query, &format, nil)
      guard format == GST_FORMAT_BYTES else { return GST_PAD_PROBE_OK }
      gst_query_set_duration(query, format, gint64(clamping: end))
      return GST_PAD_PROBE_HANDLED
    }
    source.probe("src", .reads) { passage in
      guard let buffer = passage.buffer else { return GST_PAD_PROBE_OK }
      let start = Int(clamping: buffer.pointee.offset)
      guard start < end else { return GST_PAD_PROBE_DROP }  // the end of the stream
      let read = start..<start + min(buffer.size, end - start)
      let changed = (position..<position + bytes.count).clamped(to: read)
      guard read.count < buffer.size || !changed.isEmpty, let own = passage.writableBuffer() else {
        return GST_PAD_PROBE_OK
      }
      gst_buffer_set_size(own, gssize(clamping: read.count))
      let new = bytes.dropFirst(changed.lowerBound - position).prefix(changed.count)
      if !changed.isEmpty {
        gst_buffer_fill(
          own, gsize(clamping: changed.lowerBound - start), Array(new), gsize(clamping: new.count))
      }
      return GST_PAD_PROBE_OK
    }
  }
}

extension ByteReader {
  var headerCorrection: HeaderCorrection? {
    if all.has("FORM") { return aiffCorrection }
    if all.has("ftyp", at: 4) { return soundEdit?.correction ?? shortMovie?.correction }
    if all.isWave { return waveCorrection }
    return foreignGaplessTag.map {
      HeaderCorrection(position: $0, bytes: Array("LAME".utf8), end: count)
    }
  }

  /// `wavparse` bases all times on the byte rate, refuses samples that don't fill their bytes, limits
  /// the sound to 2 GiB, ignores RF64's 64-bit length, and outputs nothing if 1 to 7 bytes follow the
  /// last chunk, e.g. because its length is odd.
  private var waveCorrection: HeaderCorrection? {
    guard let format = all.waveHeader, let data = all.chunks().first(where: { $0.name == "data" }),
      data.content.offset < 1 << 20, format.offset + 16 <= data.content.offset
    else { return nil }
    func number(_ index: Int, _ count: Int) -> Int {
      format.number(at: index, count: count, isBigEndian: false) ?? 0
    }
    let original = read(0..<data.content.offset)
    var header = original
    func set(_ value: Int, at position: Int, count: Int) {
      header.replaceSubrange(
        position..<position + count,
        with: (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
    let code = number(0, 2) == 0xFFFE ? number(24, 2) : number(0, 2)
    let (channels, frameBytes) = (max(number(2, 2), 1), number(12, 2))
    var bits = number(14, 2)
    let sampleBytes = frameBytes / channels
    if number(0, 2) == 1, bits > 0, frameBytes % channels == 0, (2...4).contains(sampleBytes),
      (bits + 7) / 8 < sampleBytes
    {
      bits = 8 * sampleBytes  // samples are left-aligned
      set(bits, at: format.offset + 14, count: 2)
    }
    if code == 1 || code == 3, frameBytes > 0, frameBytes == (bits + 7) / 8 * channels {
      set(number(4, 4) * frameBytes, at: format.offset + 8, count: 4)
    }
    var end = endOfChunks
    let length =
      data.size == 0xFFFF_FFFF ? longLengths?.data : Self.isKnown(data.size) ? data.size : nil
    let soundEnd = min(data.content.end(of: length ?? .max), count)
    if soundEnd - data.content.offset > 0x7FFF_FFFF {
      end = soundEnd
      set(0, at: data.content.offset - 4, count: 4)  // up to the end of the file
    }
    guard header != original || end < count else { return nil }
    return HeaderCorrection(position: 0, bytes: header, end: end)
  }

  /// The end of a WAV's last chunk, not counting padding (zeros, or anything too short for a
  /// chunk). Anything else is another chunk, e.g. the tags that `wavenc` writes without a pad byte
  /// before them.
  var endOfChunks: Int {
    let end = all.isWave ? lastChunkEnd(isBigEndian: false) : count
    let rest = all.dropFirst(min(end, count))
    return rest.count < 8 || rest.prefix(8).bytes.allSatisfy { $0 == 0 } ? min(end, count) : count
  }

  /// The declared end of the last chunk of a WAV or AIFF, without a pad byte, or the end of the
  /// file if no sound is found.
  func lastChunkEnd(isBigEndian: Bool) -> Int {
    let chunks = all.chunks(isBigEndian: isBigEndian)
    guard chunks.contains(where: { ["data", "SSND"].contains($0.name) }) else { return count }
    return chunks.reduce(count) { $1.end }
  }

  /// `aiffparse` believes a placeholder length, and plays an 8-bit pad byte at the end as a frame.
  private var aiffCorrection: HeaderCorrection? {
    let sound = all.chunks(isBigEndian: true).first { $0.name == "SSND" }
    guard let sound else { return nil }
    if sound.size % 2 == 1, sound.end == count - 1 {
      return HeaderCorrection(position: 0, bytes: [], end: count - 1)
    }
    let content = sound.content
    guard !Self.isKnown(sound.size), sound.end - 8 > count else { return nil }
    return HeaderCorrection(
      position: content.offset - 4, bytes: UInt32(clamping: content.count).bigEndian.bytes,
      end: count)
  }
}

// MARK: - Lengths

extension ByteReader {
  /// The lengths in an RF64 (EBU Tech 3306): the file's without its first eight bytes, and the
  /// sound's.
  var longLengths: (file: Int, data: Int)? {
    guard all.has("RF64"), all.has("ds64", at: 12),
      let file = all.number(at: 20, count: 8, isBigEndian: false),
      let data = all.number(at: 28, count: 8, isBigEndian: false)
    else { return nil }
    return (file, data)
  }

  /// False if a 32-bit length can't be right. A program that writes to a pipe doesn't know the
  /// length, and writes 0 or a number close to the 31-bit or 32-bit maximum: LAME 0x7FFFFFFF,
  /// espeak 0x7FFFF000, arecord 0x80000000, FFmpeg 0xFFFFFFFF, SoX 0x7F000000 into AIFF. The length
  /// of the whole file is a little larger.
  static func isKnown(_ length: Int) -> Bool {
    let placeholders = [0...0, 0x7F00_0000...0x7F00_FFFF, 0x7FFF_0000...0x8000_FFFF]
    return length < 0xFFFF_0000 && !placeholders.contains { $0.contains(length) }
  }
}
