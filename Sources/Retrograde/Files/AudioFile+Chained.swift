// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

// Files that are decoded once, from the start to the end, into a temporary WAV: chained Ogg, and
// files in which seeks lead to other audio than decoding from the start.
//
// Chained Ogg is several Ogg streams one after another in one file (RFC 3533, section 4), as in
// recordings of radio streams. GStreamer exposes each as a new stream, and no element after the
// decoder can seek across them.

extension AudioFile {
  /// Returns the same as ``information()``, and ensures that the file can be decoded as one stream.
  ///
  /// If necessary, the file is decoded into a temporary WAV first, with the sample rate and the
  /// channels of its beginning. The WAV exists as long as this value and its copies. Throws the
  /// errors of ``information()``, and an error if there is no space for that WAV.
  func opened(
    _ report: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> AudioInformation {
    let first = try await information()
    guard needsOnePass else { return first }
    let joined = try await join(like: first, report)
    let (whole, chain) = try await AudioFile(joined.readable, called: name).readInformation()
    if isChained { try checkJoined(whole, against: first) }
    var information = first
    (information.duration, information.sampleFormat) = (whole.duration, whole.sampleFormat)
    Encoding.complete(wav: joined.descriptor, layout: first.layout)
    known.remember(information, chain: chain, joined: joined, in: FileState(of: url))
    return information
  }

  /// Throws if the WAV lacks sound of the file. For example, GStreamer skips a chained stream whose
  /// serial number it has seen before.
  private func checkJoined(
    _ whole: AudioInformation, against first: AudioInformation
  ) throws(RetrogradeError) {
    guard first.missing == nil, let declared = first.duration, let found = whole.duration else {
      return
    }
    let missing = (declared - found).inSeconds
    guard missing > 0.005 * declared.inSeconds + 0.05 else { return }
    throw error(
      .inputDamaged,
      "\((missing * 1000).rounded() / 1000) s of its sound cannot be decoded; copy its streams into "
        + "files of their own.")
  }

  /// Whether the file must be decoded into a WAV first, and has not been yet.
  var needsOnePass: Bool {
    !isJoined && (findings.seeksMislead || isChained)
  }

  var isJoined: Bool { known.joined(in: FileState(of: url)) != nil }

  var isChained: Bool { ByteReader(url)?.isChainedOgg == true }

  private func join(
    like first: AudioInformation, _ report: @escaping @Sendable (Progress) -> Void
  ) async throws -> PartFile {
    try checkRoom(for: first)
    let part = try temporaryPart()
    let pipeline = try joining(first, into: part)
    let meter = Meter(pipeline.element("meter"))
    try await reporting {
      let clock = ContinuousClock.now
      while !Task.isCancelled {
        let length = first.duration ?? .zero
        let fraction = length > .zero ? min(meter.time / length, 1) : 0
        report(Progress(fraction: fraction, elapsed: .now - clock, inputDuration: length))
        try? await Task.sleep(for: .milliseconds(100))
      }
    } during: {
      do {
        try await pipeline.playToEnd(of: self)
      } catch {
        await pipeline.stop()
        throw (error as? RetrogradeError)?.code == .outputUnwritable ? noRoom : error
      }
    }
    await pipeline.stop()
    return part
  }

  /// A temporary WAV that is never renamed.
  private func temporaryPart() throws(RetrogradeError) -> PartFile {
    do {
      return try PartFile(for: FilePath.newTemporary(".wav").url, replacingExisting: false)
    } catch {
      throw noRoom
    }
  }

  private var noRoom: RetrogradeError {
    error(
      .outputUnwritable,
      "its decoded sound does not fit into \(FilePath.temporaryFolder), the "
        + "folder for temporary files; make room there, or set TMPDIR to another folder.")
  }

  private func joining(
    _ first: AudioInformation, into part: PartFile
  ) throws(RetrogradeError) -> Pipeline {
    let rest =
      "audioconvert dithering=none ! audioresample "
      + "! audio/x-raw,format=\(first.sampleFormat),rate=\(first.rate),channels=\(first.channels) "
      + "! identity name=meter single-segment=true ! audioconvert ! wavenc "
      + "! fdsink fd=\(part.descriptor)"
    if let (parsing, decoding) = known.chain(in: FileState(of: url)).flatMap(Self.parts) {
      return try pipeline(of: "\(parsing) ! \(decoding)", rest)
    }
    guard isChained else { return try self.pipeline(rest) }
    let pipeline = try Pipeline(
      "filesrc name=source ! decodebin name=decoder caps=audio/x-raw expose-all-streams=false "
        + "concat name=joint ! \(rest)")
    pipeline.element("source").map(open)
    guard let decoder = pipeline.element("decoder"), let joint = pipeline.element("joint") else {
      throw silence
    }
    prepare(decoder)
    cgst_join_streams(decoder.pointer, joint.pointer)
    return pipeline
  }

  /// Throws if the sound exceeds 4 GB, the limit of WAV.
  func checkRoom(for first: AudioInformation) throws(RetrogradeError) {
    let frames = (first.duration ?? .zero).inSeconds * Double(first.rate)
    let bytes = frames * Double(first.channels * SampleFormat.bytes(of: first.sampleFormat))
    guard bytes > 4_294_960_000 else { return }
    throw error(
      .inputUnreadable,
      "it has to be decoded as a whole, and its sound is longer than 4 GB; "
        + "split the file, or convert it into another type first.")
  }
}

/// Runs `report` concurrently with `work`, and cancels `report` when `work` is done.
private func reporting<Result: Sendable>(
  _ report: @escaping @Sendable () async -> Void, during work: () async throws -> Result
) async throws -> Result {
  let reporter = Task { await report() }
  defer { reporter.cancel() }
  return try await work()
}
