// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc

// Checks for faults of a file, before and after its beginning is decoded.

extension AudioFile {
  /// Throws if the file is missing, a folder, empty, unreadable or cut off.
  func checkFile() throws(RetrogradeError) {
    guard let status = FilePath(url).status() else {
      throw error(.inputUnreadable, "there is no such file; check the name.")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw error(.inputUnreadable, "this is a folder; name an audio file in it.")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw error(.inputUnreadable, "this is not an ordinary file; copy its content into one.")
    }
    // before any pipeline is created: GLib aborts the process if it cannot open file descriptors
    // for a thread
    guard !OpenFiles.areScarce else { throw error(.inputUnreadable, OpenFiles.advice) }
    guard let bytes = ByteReader(url) else {
      throw error(
        .inputUnreadable, "you are not allowed to read this file; change its permissions.")
    }
    guard bytes.count > 0 else {
      throw error(.inputUnreadable, "the file is empty; choose another.")
    }
    try checkLength(bytes)
  }

  private func checkLength(_ bytes: ByteReader) throws(RetrogradeError) {
    // some programs omit the pad byte in AIFF and WAV
    if let declared = bytes.declaredByteCount, declared > bytes.count + 1 {
      throw error(
        .inputDamaged,
        "the file is cut off: it should have \(declared) bytes, but has \(bytes.count); download or copy it again."
      )
    }
    guard !bytes.hasShortList else {
      throw error(
        .inputDamaged,
        "its header has a LIST chunk that is too short, which would hang GStreamer; convert the "
          + "file into another type first.")
    }
    if bytes.all.has("OggS") { try checkOgg(bytes) }
  }

  private func checkOgg(_ bytes: ByteReader) throws(RetrogradeError) {
    guard bytes.lastOggPage?.isLast == true else {
      throw error(
        .inputDamaged,
        "the file is cut off: its last Ogg page is missing; download or copy it again.")
    }
    guard !bytes.hasTooManyOggStreams else {
      throw error(
        .inputDamaged,
        "it contains more than \(OggPage.mostStreams) Ogg streams; "
          + "copy the one with the sound into a file of its own.")
    }
  }

  /// Throws if a FLAC ends earlier than its header declares. FLAC declares a duration but no length
  /// in bytes, so the file is parsed to its end, which is quick because nothing is decoded.
  func checkEnd(declared: Duration?) async throws {
    guard let declared, header(of: 4) == Array("fLaC".utf8) else { return }
    guard let found = try await parsedEnd() else { return }
    guard found.inSeconds < 0.98 * declared.inSeconds - 0.1 else { return }
    let (has, says) = (
      (found.inSeconds * 100).rounded() / 100, (declared.inSeconds * 100).rounded() / 100
    )
    throw error(
      .inputDamaged,
      "the file is cut off: it should have \(says) s, but has \(has) s; download or copy it again.")
  }
}

extension AudioFile {
  /// The end time of the last frame of a FLAC; nil if unknown.
  private func parsedEnd() async throws(CancellationError) -> Duration? {
    guard let pipeline = try? Pipeline("filesrc name=source ! flacparse ! fakesink name=sink")
    else { return nil }
    pipeline.element("source")?.set("location", FilePath(url))
    try? await pipeline.playToEnd(of: self)
    if Task.isCancelled { throw CancellationError() }
    let end = pipeline.element("sink").flatMap { Duration(cgst_last_end($0.pointer)) }
    await pipeline.stop()
    return end.flatMap { $0 < .zero ? nil : $0 }
  }
}
