// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

// What can be said against a file before and after its beginning was decoded.
//
// Pipelines read a file that was cut off in a download up to its end and call
// that a success; whoever reverses it should know.

extension AudioFile {
  /// Missing, a folder, empty, not readable, cut off.
  func checkFile() throws(RetrogradeError) {
    var isFolder = false
    let files = FileManager.default
    guard files.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw error(.inputUnreadable, "there is no such file; check the name\(nameAdvice).")
    }
    guard !isFolder else {
      throw error(.inputUnreadable, "this is a folder; name an audio file in it.")
    }
    let attributes = try? files.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular else {
      throw error(.inputUnreadable, "this is not an ordinary file; copy its content into one.")
    }
    guard files.isReadableFile(atPath: url.path), let bytes = ByteReader(url) else {
      throw error(.inputUnreadable, "you may not read this file; change its permissions.")
    }
    guard bytes.count > 0 else {
      throw error(.inputUnreadable, "the file is empty; choose another.")
    }
    try checkLength(bytes)
  }

  /// The only trace that other bytes leave in a string.
  private var nameAdvice: String {
    name.contains("\u{FFFD}") ? ", or rename it, if it is not UTF-8" : ""
  }

  private func checkLength(_ bytes: ByteReader) throws(RetrogradeError) {
    // writers of AIFF and WAV forget the pad byte
    if let declared = declaredByteCount(bytes), declared > bytes.count + 1 {
      throw error(
        .inputDamaged,
        "the file is cut off: it should have \(declared) bytes and has \(bytes.count); download or copy it again."
      )
    }
    if bytes.text(at: 0, count: 4) == "OggS" { try checkOgg(bytes) }
  }

  private func checkOgg(_ bytes: ByteReader) throws(RetrogradeError) {
    guard bytes.lastOggPage?.isLast == true else {
      throw error(
        .inputDamaged,
        "the file is cut off: its last Ogg page is missing; download or copy it again.")
    }
    // decodebin makes a stream of each, and the elements behind it take the first
    guard !bytes.isChainedOgg else {
      throw error(
        .inputDamaged,
        "several Ogg files follow one another in it; convert it into another type first.")
    }
  }

  /// FLAC and Matroska declare no length in bytes, but a duration; parsing up
  /// to the end, which is quick, tells whether it is there.
  func checkEnd(declared: Duration?) async throws {
    guard let declared else { return }
    let magic = header(of: 4)
    guard magic == Array("fLaC".utf8) || magic == [0x1A, 0x45, 0xDF, 0xA3] else { return }
    guard let found = await parsedEnd() else { return }
    guard found.inSeconds < 0.98 * declared.inSeconds - 0.1 else { return }
    let (has, says) = (
      (found.inSeconds * 100).rounded() / 100, (declared.inSeconds * 100).rounded() / 100
    )
    throw error(
      .inputDamaged,
      "the file is cut off: it should have \(says) s and has \(has) s; download or copy it again.")
  }
}

extension AudioFile {
  /// The end of the last packet in the file; nil if that cannot be told.
  private func parsedEnd() async -> Duration? {
    guard let pipeline = try? Pipeline("filesrc name=source ! parsebin ! fakesink name=sink")
    else { return nil }
    pipeline.element("source")?.set("location", exactly: url.path)
    try? await pipeline.playToEnd(of: self)
    let end = pipeline.element("sink").flatMap { Duration(cgst_last_end($0.pointer)) }
    await pipeline.stop()
    return end.flatMap { $0 < .zero ? nil : $0 }
  }
}

/// The length in bytes that the beginning of a file declares; nil if it does not.
private func declaredByteCount(_ bytes: ByteReader) -> Int? {
  switch bytes.text(at: 0, count: 4) {
  case "RIFF": return chunkEnd(bytes.number(at: 4, count: 4, isBigEndian: false))
  case "FORM": return chunkEnd(bytes.number(at: 4, count: 4))
  default: break
  }
  return bytes.text(at: 4, count: 4) == "ftyp" ? boxesEnd(bytes) : xingEnd(bytes)
}

/// A WAV that was written into a pipe has no length.
private func chunkEnd(_ size: Int?) -> Int? {
  guard let size, size < 0xFFFF_FFF0 else { return nil }
  return 8 + size
}

/// The end of the boxes that an MP4 consists of, each of which begins with its length.
private func boxesEnd(_ bytes: ByteReader) -> Int? {
  var end = 0
  while end + 16 <= bytes.count, var size = bytes.number(at: end, count: 4) {
    if size == 1, let long = bytes.number(at: end + 8, count: 8) { size = long }
    guard size >= 8 else { break }  // up to the end of the file
    let (next, overflow) = end.addingReportingOverflow(size)
    guard !overflow else { return nil }
    end = next
  }
  return end
}

/// The end of an MP3 by its Xing header, which lies in the first frame.
private func xingEnd(_ bytes: ByteReader) -> Int? {
  let start = bytes.endOfID3
  let frame = bytes.bytes(at: start, count: 64)
  guard frame.count == 64, frame[0] == 0xFF else { return nil }
  guard let header = frame.firstRange(of: "Xing".utf8) ?? frame.firstRange(of: "Info".utf8),
    let flags = bytes.number(at: start + header.lowerBound + 4, count: 4), flags & 2 != 0
  else { return nil }
  let field = start + header.lowerBound + (flags & 1 != 0 ? 12 : 8)
  return bytes.number(at: field, count: 4).map { start + $0 }
}
