// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The header of an MP4 box (ISO/IEC 14496-12, 4.2).
struct MP4BoxHeader {
  let headerBytes: Int
  /// The declared size of the whole box. In a truncated file, there may be fewer bytes.
  let byteCount: Int

  /// Nil if no box begins here. A box without a length extends to the end of the range.
  init?(_ bytes: ByteRange) {
    guard let short = bytes.number(at: 0, count: 4) else { return nil }
    switch short {
    case 0: (headerBytes, byteCount) = (8, bytes.count)
    case 1:
      guard bytes.count >= 16 else { return nil }
      // clamped, because no file is that long and qtdemux would never finish with such a number
      (headerBytes, byteCount) = (16, bytes.number(at: 8, count: 8) ?? .max)
    default: (headerBytes, byteCount) = (8, short)
    }
    guard byteCount >= headerBytes, bytes.count >= headerBytes else { return nil }
  }
}

extension ByteRange {
  /// The contents of all boxes with this name at the top level of the range, but not of nested
  /// ones.
  func boxes(_ name: StaticString) -> [ByteRange] {
    parts { (rest: inout ByteRange) -> (header: MP4BoxHeader, box: ByteRange)? in
      guard let header = MP4BoxHeader(rest), let box = rest.consume(header.byteCount) else {
        return nil
      }
      return (header, box)
    }
    .filter { $0.box.has(name, at: 4) }.map { $0.box.dropFirst($0.header.headerBytes) }
  }

  /// Checks a track's kind, `vide` or `soun`, in its handler.
  fileprivate func isTrack(_ kind: StaticString) -> Bool {
    let handlers = boxes("mdia").lazy.flatMap { $0.boxes("hdlr") }
    return handlers.contains { $0.has(kind, at: 8) }
  }
}

extension ByteReader {
  /// The header of an MP4, or nil for other files.
  private var movie: ByteRange? { all.has("ftyp", at: 4) ? all.boxes("moov").first : nil }

  /// True for either kind of chapters: a Nero-style list, or a chapter track that another track
  /// refers to. GStreamer doesn't report them.
  var hasMP4Chapters: Bool {
    guard let movie else { return false }
    let lists = movie.boxes("udta").lazy.flatMap { $0.boxes("chpl") }
    let pointers = movie.boxes("trak").lazy.flatMap { $0.boxes("tref") }.flatMap {
      $0.boxes("chap")
    }
    return !lists.isEmpty || !pointers.isEmpty
  }

  /// The matrix that a player uses to rotate the video for display. Nil if there's no video.
  var displayMatrix: ByteRange? {
    let tracks = all.boxes("moov").lazy.flatMap { $0.boxes("trak") }
    let pictures = tracks.first { $0.isTrack("vide") }
    guard let header = pictures.flatMap({ $0.boxes("tkhd").first }), let version = header[0] else {
      return nil
    }
    var matrix = header.dropFirst(version == 1 ? 52 : 40)
    return matrix.consume(36)
  }
}

extension ByteReader {
  /// For an MP4 without video that has its only sound in the first track, and an edit list that
  /// skips the encoder's silence: its length in units of `rate`, and a header that makes GStreamer
  /// read all of it. Nil for other files.
  ///
  /// GStreamer 1.22's `qtdemux` drops the last packet if it begins after the duration of the movie,
  /// which doesn't include what's skipped. The edit list is often rounded to milliseconds, so
  /// frames are lost even if it reads the packet. If the movie has the same rate as the track,
  /// nothing is rounded.
  var soundEdit: (length: Int, rate: Int, correction: HeaderCorrection)? {
    guard let movie, let header = movie.boxes("mvhd").first,
      let track = movie.boxes("trak").first, track.isTrack("soun"),
      !movie.boxes("trak").dropFirst().contains(where: { $0.isTrack("vide") || $0.isTrack("soun") }
      ),
      let media = track.boxes("mdia").first?.boxes("mdhd").first,
      let edit = track.boxes("edts").first?.boxes("elst").first,
      [header[0], media[0], edit[0]] == [0, 0, 0], edit.number(at: 4, count: 4) == 1
    else { return nil }
    func number(_ box: ByteRange, _ index: Int) -> Int { box.number(at: index, count: 4) ?? 0 }
    let (movieRate, rate) = (number(header, 12), number(media, 12))
    let (duration, skipped) = (number(edit, 8), number(edit, 12))
    guard movieRate > 0, rate >= movieRate, rate < 1 << 20, skipped > 0,
      skipped < 1 << 31
    else {
      return nil
    }
    let stated = duration * rate / movieRate
    let rest = number(media, 16) - skipped
    let length = abs(rest - stated) <= rate / movieRate + 1 ? rest : stated
    let changed = header.offset + 12..<edit.offset + 12
    guard changed.count >= 12, changed.count < 1 << 16, length > 0,
      let end = UInt32(exactly: length + skipped)
    else { return nil }
    let kept = read(changed.lowerBound + 8..<changed.upperBound - 4)
    return (
      length, rate,
      HeaderCorrection(
        position: changed.lowerBound,
        bytes: UInt32(clamping: rate).bigEndian.bytes + end.bigEndian.bytes + kept
          + UInt32(clamping: length).bigEndian.bytes,
        end: count)
    )
  }

  /// The duration of an MP4 in seconds, and a header with a duration that's at least as long as
  /// every track. Nil if it doesn't need correcting. Because of encoder silence, a track may be
  /// longer than the movie, and `qtdemux` then drops its last packet.
  var shortMovie: (seconds: Double, correction: HeaderCorrection)? {
    // the header of a fragmented file only covers part of it
    guard let movie, movie.boxes("mvex").isEmpty, let header = movie.boxes("mvhd").first,
      header[0] == 0, let rate = header.number(at: 12, count: 4), rate > 0, rate < 1 << 30,
      let duration = header.number(at: 16, count: 4)
    else { return nil }
    let media = movie.boxes("trak").lazy.flatMap { $0.boxes("mdia") }.flatMap { $0.boxes("mdhd") }
    let ends = media.compactMap { (media: ByteRange) -> Int? in
      guard media[0] == 0, let unit = media.number(at: 12, count: 4), unit > 0,
        let length = media.number(at: 16, count: 4)
      else { return nil }
      return length * rate / unit + 1
    }
    // a bigger difference must have another cause
    guard let end = ends.max(), end > duration + 1, end - duration <= rate / 2,
      let longer = UInt32(exactly: end)
    else { return nil }
    return (
      Double(duration) / Double(rate),
      HeaderCorrection(
        position: header.offset + 16, bytes: longer.bigEndian.bytes,
        end: count)
    )
  }
}
