// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Dispatch
import Synchronization

final class SampleReader<Sample: BitwiseCopyable & Sendable>: Sendable {
  private let pipeline: Pipeline
  private let sink: PieceSink
  private let trouble = Mutex<(any Error)?>(nil)
  private let watching = Mutex<Task<Void, Never>?>(nil)
  private let file: AudioFile

  /// `format` is GStreamer's name for the type `Sample`. To read a `region`, we seek the revbuf in
  /// `elements`. With `isWhole`, the decoder seeks once to read the whole region, and we block the
  /// element "inlet" until the seek is done. With `isHeld`, you don't need a revbuf, because we
  /// send the seek to "inlet" and queue the whole region until you read it.
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
    let reader = SampleReader(file, pipeline, PieceSink(sink))
    if let region {
      try await pipeline.enter(
        [isHeld ? "inlet" : "revbuf": region], of: file, holding: isWhole ? "inlet" : nil)
    }
    await pipeline.request(GST_STATE_PLAYING)
    reader.watch()
    return reader
  }

  private init(_ file: AudioFile, _ pipeline: Pipeline, _ sink: PieceSink) {
    (self.file, self.pipeline, self.sink) = (file, pipeline, sink)
  }

  /// Cancels the task that watches for errors, which keeps the pipeline alive for as long as it may
  /// post messages.
  deinit { watching.withLock { $0 }?.cancel() }

  /// Waits in a task for an error or the end of the stream. Stops the pipeline after an error,
  /// because a thread in ``next()`` would otherwise wait for ever.
  private func watch() {
    let task = Task { [pipeline, file, weak self] in
      do {
        try await pipeline.waitForEnd(of: file)
      } catch {
        if Task.isCancelled { return }  // the reader has been abandoned
        self?.trouble.withLock { $0 = $0 ?? error }
        await pipeline.stop()
      }
    }
    watching.withLock { $0 = task }
  }

  /// The next samples, or none at the end. Blocks the thread until they arrive.
  func next() -> [Sample] {
    nextPiece()?.withUnsafeBytes { Array($0.bindMemory(to: Sample.self)) } ?? []
  }

  /// Like ``next()``, but without copying. Nil at the end.
  func nextPiece() -> BufferPiece? { sink.element.pull() }

  /// At least this many bytes in total, or fewer at the end.
  func nextPieces(ofBytes least: Int) -> [BufferPiece] {
    var (pieces, bytes) = ([BufferPiece](), 0)
    while bytes < least, let piece = nextPiece() {
      pieces.append(piece)
      bytes += piece.count
    }
    return pieces
  }

  /// Skips `bytes` bytes, and returns the remaining samples of the last piece that it read.
  func skip(bytes: Int) -> [BufferPiece] {
    var left = bytes
    while left > 0, let piece = nextPiece() {
      if let rest = piece.dropFirst(left) { return [rest] }
      left -= piece.count
    }
    return []
  }

  /// True if `revbuf` has crossfaded between two blocks because the decoder returned different
  /// audio for their overlap.
  var hasFaded: Bool {
    (pipeline.element("revbuf")?.count("seams-crossfaded", in: "stats") ?? 0) > 0
  }

  /// Passes this pipeline's caps and tags to `source`, an appsrc in another pipeline. Returns false
  /// if no caps have arrived yet.
  func describe(to source: Element, duration: Duration) -> Bool {
    sink.describe(to: source, duration: duration)
  }

  /// Continues with another region. You must have read the current one to the end.
  func go(to region: RegionPlan.Region) async throws {
    try await checkEnd()
    let seeker = pipeline.element("revbuf") == nil ? "inlet" : "revbuf"
    guard await pipeline.seek(seeker, to: region.start, stop: region.stop) else {
      throw file.unseekable
    }
    watch()
  }

  /// Throws the pipeline's error, if there is one. If you've read all samples, waits for the
  /// message that ended the stream.
  func checkEnd() async throws {
    // after stop(), the sink is at the end, too, but there won't be a message
    try Task.checkCancellation()
    if sink.isAtEnd { await watching.withLock { $0 }?.value }
    if let error = trouble.withLock({ $0 }) { throw error }
    try Task.checkCancellation()
  }

  func stop() async {
    await pipeline.stop()
  }

  func abandon() async {
    watching.withLock { $0 }?.cancel()
    await pipeline.stop()
  }

  /// Stops reading. Throws any error that the pipeline posted before the end of the stream.
  func finish() async throws {
    let outcome = await result(of: checkEnd)
    await abandon()
    try outcome.get()
  }
}

/// Runs a blocking function on a dispatch queue. If the task is cancelled, this calls `cancel`,
/// which must make `body` return.
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
