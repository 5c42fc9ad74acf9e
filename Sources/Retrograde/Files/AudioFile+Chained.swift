// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc

// Chained Ogg is several Ogg streams one after another in one file (RFC 3533, section 4), as in
// recordings of radio streams. GStreamer exposes each as a new stream, and no element after the
// decoder can seek across them. So we first decode them to a temporary WAV.

extension AudioFile {
  /// Returns the same as ``information()``, and makes sure that we can decode the file as one stream.
  ///
  /// If it's chained, we decode it to a temporary WAV first, with the sample rate and channels that
  /// it starts with. The WAV is kept for as long as this value and its copies. Throws whatever
  /// ``information()`` throws, and an error if there's no space for the WAV.
  func opened() async throws -> AudioInformation {
    var information = try await information()
    guard isChained, facts.joined == nil else { return information }
    let joined = try await temporaryWave(like: information) { rest in
      for link in facts.links {
        let part = try copy(link)
        try await append(try self.link(part).pipeline(rest))
      }
    }
    let whole = try await AudioFile(joined.readable, label: name).readInformation()
    (information.duration, information.sampleFormat) = (whole.duration, whole.sampleFormat)
    information.start = .zero
    known.change { ($0.information, $0.joined) = (information, joined) }
    return information
  }

  var isChained: Bool { !facts.links.isEmpty }

  /// Nil if the file isn't chained. GStreamer skips a stream if it has seen its serial number
  /// before.
  func chainedLength() async throws -> Duration? {
    guard isChained else { return nil }
    var length = Duration.zero
    for link in facts.links {
      let part = try copy(link)
      length += try await self.link(part).readInformation().duration ?? .zero
    }
    return length
  }

  /// Copies one stream of a chained Ogg to a separate file, which is kept for as long as the
  /// result.
  private func copy(_ link: Range<Int>) throws(RetrogradeError) -> PartFile {
    let part = try temporaryPart(".ogg")
    let source = Glibc.open(FilePath(url).cString, O_RDONLY | O_CLOEXEC)
    defer { close(source) }
    var position = off_t(clamping: link.lowerBound)
    while position < link.upperBound {
      let count = sendfile(
        part.descriptor, source, &position, link.upperBound - Int(clamping: position))
      guard count > 0 || count < 0 && errno == EINTR else { throw noRoom }
    }
    return part
  }

  private func link(_ part: PartFile) -> AudioFile { AudioFile(part.readable, label: label) }

  /// The sound of an edit in an unnamed WAV, with the format of `information`.
  func copied(
    _ edit: AudioEdit, of input: AudioInformation, as information: AudioInformation
  ) async throws -> PartFile {
    try await temporaryWave(like: information) { rest in
      try await append(try pipeline(for: edit, input, into: rest))
    }
  }

  /// Writes an unnamed WAV of any length, with the format of `information`. `write` gets the last
  /// elements of the pipelines that write to it.
  private func temporaryWave(
    like information: AudioInformation,
    _ write: (String) async throws -> Void
  ) async throws -> PartFile {
    let part = try temporaryPart(".wav")
    var encoding = try Encoding(OutputSettings(type: .wav), for: url)
    let format = encoding.waveFormat(of: information)
    encoding.isLong = true
    encoding.begin(part.descriptor)
    try await write(
      "audioconvert dithering=none ! audioresample ! \(format.caps) ! fdsink fd=\(part.descriptor)")
    let bytes = (ByteReader(descriptor: part.descriptor)?.count ?? 0) - WaveFormat.longHeaderBytes
    try encoding.complete(
      part.descriptor, layout: information.layout,
      frames: Int64(clamping: bytes / max(format.frameBytes, 1)), rate: information.rate,
      format: format)
    return part
  }

  private func append(_ pipeline: Pipeline) async throws {
    do {
      try await pipeline.stopping { try await pipeline.playToEnd(of: self) }
    } catch let error as RetrogradeError where error.code == .outputUnwritable {
      throw noRoom
    }
  }

  private func temporaryPart(_ ending: String) throws(RetrogradeError) -> PartFile {
    do {
      return try PartFile(for: FilePath.newTemporary(ending).url, replacingExisting: false)
    } catch {
      throw noRoom
    }
  }

  var noRoom: RetrogradeError {
    error(
      .outputUnwritable,
      "its decoded sound does not fit into \(FilePath.temporaryFolder), the "
        + "folder for temporary files; make room there, or set TMPDIR to another folder.")
  }
}

/// Runs `work`, and calls `report` about ten times a second until it's done.
func reporting(
  _ report: @escaping @Sendable () -> Void, during work: () async throws -> Void
) async throws {
  let reporter = Task {
    while !Task.isCancelled {
      report()
      try? await Task.sleep(for: .milliseconds(100))
    }
  }
  let result = await result(of: work)
  reporter.cancel()
  await reporter.value
  try result.get()
}

func result(of work: () async throws -> Void) async -> Result<Void, any Error> {
  do { return .success(try await work()) } catch { return .failure(error) }
}

extension Pipeline {
  /// Runs `work`, and then stops the pipeline.
  func stopping(after work: () async throws -> Void) async throws {
    let result = await result(of: work)
    await stop()
    try result.get()
  }
}
