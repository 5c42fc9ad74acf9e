// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Dispatch
import Synchronization

/// Reads the samples of a file after some elements, interleaved.
final class SampleReader<Sample: BitwiseCopyable & Sendable>: Sendable {
  private let pipeline: Pipeline
  private let sink: Element
  private let trouble = Mutex<(any Error)?>(nil)
  private let watching = Mutex<Task<Void, Never>?>(nil)
  private let file: AudioFile

  /// Starts to read. `format` is GStreamer's name for the type `Sample`; `region` needs a revbuf
  /// among the elements. `isWhole` means that one seek leads to all of the region, at the element
  /// "inlet" and not at a revbuf, and `isHeld` that the whole region waits for its reader.
  static func start(
    _ file: AudioFile, through elements: [String], format: String,
    region: RegionPlan.Region? = nil, isWhole: Bool = false, isHeld: Bool = false
  ) async throws -> SampleReader {
    let rest =
      elements + [
        "audioconvert dithering=none", "audio/x-raw,format=\(format),layout=interleaved",
        "appsink name=sink sync=false max-buffers=\(isHeld ? 0 : 8)",
      ]
    let description = rest.joined(separator: " ! ")
    let pipeline =
      try isWhole ? file.pipelineWithoutQueues(description) : file.pipeline(description)
    guard let sink = pipeline.element("sink") else { throw file.silence }
    cgst_note_events(sink.pointer)
    let reader = SampleReader(file, pipeline, sink)
    if let region {
      try await pipeline.enter(
        [isHeld ? "inlet" : "revbuf": region], of: file, holding: isWhole ? "inlet" : nil)
    }
    await pipeline.request(GST_STATE_PLAYING)
    reader.watch()
    return reader
  }

  private init(_ file: AudioFile, _ pipeline: Pipeline, _ sink: Element) {
    (self.file, self.pipeline, self.sink) = (file, pipeline, sink)
  }

  /// Its task holds the pipeline for as long as that may say something.
  deinit { watching.withLock { $0 }?.cancel() }

  /// An error ends the stream, for which the reader would wait indefinitely otherwise.
  private func watch() {
    let task = Task { [pipeline, file, weak self] in
      do {
        _ = try await pipeline.wait(reading: file) {
          if case .endOfStream = $0 { true } else { false }
        }
      } catch {
        if Task.isCancelled { return }  // nobody wants to read on
        self?.trouble.withLock { $0 = $0 ?? error }
        await pipeline.stop()
      }
    }
    watching.withLock { $0 = task }
  }

  /// The next samples, after a wait that blocks the thread; none at the end.
  func next() -> [Sample] {
    nextPiece()?.withUnsafeBytes { Array($0.bindMemory(to: Sample.self)) } ?? []
  }

  /// The same without a copy; nil at the end.
  func nextPiece() -> BufferPiece? {
    cgst_pull(sink.pointer).map { BufferPiece(Buffer(taking: $0)) }
  }

  /// The next buffers, until they have this many bytes; fewer at the end.
  func nextPieces(ofBytes least: Int) -> [BufferPiece] {
    var (pieces, bytes) = ([BufferPiece](), 0)
    while bytes < least, let piece = nextPiece() {
      pieces.append(piece)
      bytes += piece.count
    }
    return pieces
  }

  /// Skips that many bytes; returns the rest of the piece in which they end.
  func skip(bytes: Int) -> [BufferPiece] {
    var left = bytes
    while left > 0, let piece = nextPiece() {
      if let rest = piece.dropFirst(left) { return [rest] }
      left -= piece.count
    }
    return []
  }

  /// Whether `revbuf` found runs that differ, and crossfaded them.
  var hasFaded: Bool {
    (pipeline.element("revbuf")?.count("seams-crossfaded", in: "stats") ?? 0) > 0
  }

  /// Sends the format and tags to an appsrc of another pipeline; FALSE before the first samples
  /// have arrived.
  func describe(to source: Element, duration: Duration) -> Bool {
    cgst_feed_like(source.pointer, sink.pointer, GstClockTime(clamping: duration.nanoseconds)) != 0
  }

  /// Continues with another region, after this one has been read to its end.
  func go(to region: RegionPlan.Region) async throws {
    try await checkEnd()
    let seeker = pipeline.element("revbuf") == nil ? "inlet" : "revbuf"
    guard await pipeline.seek(seeker, to: region.start, stop: region.stop) else {
      throw file.unseekable
    }
    watch()
  }

  /// Waits for the result of the end that has been read; throws an earlier error.
  func checkEnd() async throws {
    // one that has been stopped is at its end, too, and nothing more is said of that
    try Task.checkCancellation()
    // an error comes before the end of the stream that it causes
    if cgst_is_at_end(sink.pointer) != 0 { await watching.withLock { $0 }?.value }
    if let error = trouble.withLock({ $0 }) { throw error }
    try Task.checkCancellation()
  }

  /// Ends the reading, also while another thread waits for samples.
  func stop() async {
    await pipeline.stop()
  }

  /// Ends the reading, whatever there is still to read.
  func abandon() async {
    watching.withLock { $0 }?.cancel()
    await pipeline.stop()
  }

  /// Ends the reading; throws an error from before the end of the stream.
  func finish() async throws {
    do {
      try await checkEnd()
    } catch {
      await abandon()
      throw error
    }
    await abandon()
  }
}

/// Runs a blocking function on a separate thread, and stops it by `cancel` if the task is
/// cancelled.
func blocking<Result: Sendable>(
  _ body: @escaping @Sendable () -> Result, cancel: @escaping @Sendable () async -> Void
) async -> Result {
  await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
  } onCancel: {
    Task { await cancel() }
  }
}
