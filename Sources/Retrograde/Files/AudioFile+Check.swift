// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc
import Synchronization

extension AudioFile {
  /// Throws if the file is missing, a folder, empty or unreadable. Returns what's missing if the
  /// file is cut off.
  func checkFile() throws(RetrogradeError) -> String? {
    guard let status = FilePath(url).status() else {
      throw error(.inputUnreadable, "there is no such file; check the name.")
    }
    try require(
      status.st_mode & S_IFMT != S_IFDIR, else: .inputUnreadable,
      "this is a folder; name an audio file in it.")
    try require(
      status.st_mode & S_IFMT == S_IFREG, else: .inputUnreadable,
      "this is not an ordinary file; copy its content into one.")
    // Check before we create any pipeline, because GLib aborts the process if it can't open file
    // descriptors for a thread.
    try require(!OpenFiles.areScarce, else: .inputUnreadable, OpenFiles.advice)
    guard let bytes = ByteReader(url) else {
      throw error(
        .inputUnreadable, "you are not allowed to read this file; change its permissions.")
    }
    try require(bytes.count > 0, else: .inputUnreadable, "the file is empty; choose another.")
    try checkChunks(bytes)
    if let declared = bytes.declaredByteCount, declared > bytes.count {
      return "the file is cut off: it should have \(declared) bytes, but has \(bytes.count)"
    }
    return bytes.brokenEnd.map { "the file is cut off: \($0)" }
  }

  /// Throws if the file has chunks or streams that GStreamer can't handle.
  private func checkChunks(_ bytes: ByteReader) throws(RetrogradeError) {
    try require(
      !bytes.all.has("riff"), else: .inputNotAudio,
      "GStreamer does not read all of Wave64; convert it with another program first.")
    try require(
      !bytes.all.has("OggS") || !bytes.hasTooManyOggStreams, else: .inputDamaged,
      "it contains more than \(OggPage.maxStreams) Ogg streams; "
        + "copy the one with the sound into a file of its own.")
  }

  /// Parses a stream without a container to its end, and corrects `information`, because the stream
  /// may not declare its length. This is quick, because we don't decode anything. Returns what's
  /// missing. Throws if GStreamer only reads part of the file.
  func checkFrames(
    _ information: inout AudioInformation, parsing: String
  ) async throws -> String? {
    guard let (read, parsed) = try await parsed(by: parsing) else { return nil }
    if information.isEstimate, endsInFrame(after: read.bytes - parsed.endBytes) {
      return "the file is cut off: its last frame is incomplete"
    }
    let length = Double(parsed.length) / 1e9
    let declared = information.isEstimate ? nil : information.duration?.inSeconds
    let tolerated = information.isLossy ? 0.02 * (declared ?? 0) + 0.1 : 0.001
    if let declared, length < declared - tolerated {
      return "the file is cut off: it should have \((declared * 100).rounded() / 100) s, but has "
        + "\((length * 100).rounded() / 100) s"
    }
    if information.isLossy {
      // the first frame may be a header
      if read.bytes > parsed.bytes + max(read.bytes / 20, 2048) {
        return "the file is damaged: only \(100 * parsed.bytes / read.bytes) % of it is sound that "
          + "GStreamer can find"
      }
      // what encoders add at both ends doesn't count as missing
      if length > declared.map({ $0 + 0.3 }) ?? 0 {
        information.duration = .seconds(saturating: length)
      }
      information.isEstimate = false
      return nil
    }
    // the parser may skip blocks of another format
    if declared == nil, Double(parsed.bytes) < 0.9 * Double(ByteReader(url)?.count ?? 0) {
      throw error(
        .inputDamaged,
        "GStreamer reads only a part of it: its sample rate or channels change inside, or it is "
          + "damaged; convert it with another program first.")
    }
    return nil
  }

  /// The parser hasn't used the last `count` bytes of the file. Returns true if they look like the
  /// start of a frame.
  private func endsInFrame(after count: Int) -> Bool {
    guard count > 0, count < 1 << 13, let all = ByteReader(url)?.all else { return false }
    let rest = all.suffix(count).prefix(2).bytes
    return rest == all.dropFirst(all.id3Bytes).prefix(rest.count).bytes
  }
}

extension Pipeline {
  /// The elements that parse the stream, or nil if it has a container other than tags. The queue puts
  /// the parser into push mode. In pull mode, GStreamer 1.22's MP3 parser skips the last 64 KiB if
  /// they follow a tag and have a different rate.
  func bareParsing(in container: String?) -> String? {
    let names = elements.compactMap(\.factoryName)
    let tags = ["id3demux", "apedemux"].filter(names.contains)
    let parser = [
      "flacparse", "mpegaudioparse", "aacparse", "ac3parse", "dcaparse", "wavpackparse",
    ].first(where: names.contains)
    guard let parser, container.map(AudioInformation.tagTypes.contains) ?? true,
      names.count(where: { $0.hasSuffix("demux") }) == tags.count
    else { return nil }
    return (tags + ["queue name=inlet", parser]).joined(separator: " ! ")
  }
}

/// The data that has reached an element.
private struct Tally {
  var bytes = 0
  /// The end of the last buffer in the file.
  var endBytes = 0
  /// The total duration of the buffers, in ns.
  var length: guint64 = 0

  mutating func add(_ buffer: UnsafeMutablePointer<GstBuffer>?) {
    guard let buffer else { return }
    bytes += buffer.size
    endBytes = Int(truncatingIfNeeded: buffer.pointee.offset) &+ buffer.size
    if buffer.pointee.duration != cgst_no_time { length &+= buffer.pointee.duration }
  }
}

extension AudioFile {
  /// What a parser reads and what it finds. Nil if it finds nothing.
  private func parsed(
    by parsing: String
  ) async throws(CancellationError) -> (read: Tally, found: Tally)? {
    guard
      let pipeline = try? Pipeline(
        "filesrc name=source blocksize=1048576 ! \(parsing) ! fakesink name=sink"),
      let sink = pipeline.element("sink")
    else { return nil }
    let read = Mutex(Tally())
    let found = Mutex(Tally())
    pipeline.element("inlet")?.watch("sink", GST_PAD_PROBE_TYPE_BUFFER) { passage in
      read.withLock { $0.add(passage.buffer) }
    }
    sink.watch("sink", GST_PAD_PROBE_TYPE_BUFFER) { passage in
      found.withLock { $0.add(passage.buffer) }
    }
    pipeline.element("source")?.set("location", FilePath(url))
    try? await pipeline.playToEnd(of: self)
    await pipeline.stop()
    if Task.isCancelled { throw CancellationError() }
    let (all, parsed) = (read.withLock { $0 }, found.withLock { $0 })
    return parsed.length > 0 ? (all, parsed) : nil
  }
}
