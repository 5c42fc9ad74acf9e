// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Dispatch
import Synchronization

/// Reads the output of a pipeline that decodes a file, as interleaved samples.
final class SampleReader<Sample: BitwiseCopyable & Sendable>: Sendable {
  private let pipeline: Pipeline
  private let sink: Element
  private let trouble = Mutex<(any Error)?>(nil)
  private let watching = Mutex<Task<Void, Never>?>(nil)
  private let file: AudioFile

  /// Starts reading. `format` is GStreamer's name for the type `Sample`. To read a `region`, the
  /// revbuf among the `elements` is seeked. With `isWhole`, the decoder is seeked once to read the
  /// whole region, and the element "inlet" is blocked until the seek is done. With `isHeld`, no
  /// revbuf is needed: the seek is sent to "inlet", and the whole region is queued until it is
  /// read.
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
    cgst_prepare_sink(sink.pointer, gsize(clamping: Buffer.joinedBytes))
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

  /// Cancels the task that watches for errors. The task keeps the pipeline alive while the pipeline
  /// may post messages.
  deinit { watching.withLock { $0 }?.cancel() }

  /// Starts a task that waits for an error or the end of the stream. After an error, it stops the
  /// pipeline, because a thread in ``next()`` would wait indefinitely.
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

  /// The next samples, or empty at the end. Blocks the thread until they arrive.
  func next() -> [Sample] {
    nextPiece()?.withUnsafeBytes { Array($0.bindMemory(to: Sample.self)) } ?? []
  }

  /// The next samples without a copy, or nil at the end.
  func nextPiece() -> BufferPiece? {
    cgst_pull(sink.pointer).map { BufferPiece(Buffer(taking: $0)) }
  }

  /// The next buffers, with at least this many bytes in total, or fewer at the end.
  func nextPieces(ofBytes least: Int) -> [BufferPiece] {
    var (pieces, bytes) = ([BufferPiece](), 0)
    while bytes < least, let piece = nextPiece() {
      pieces.append(piece)
      bytes += piece.count
    }
    return pieces
  }

  /// Skips `bytes` bytes. Returns the remaining samples of the last piece that was read.
  func skip(bytes: Int) -> [BufferPiece] {
    var left = bytes
    while left > 0, let piece = nextPiece() {
      if let rest = piece.dropFirst(left) { return [rest] }
      left -= piece.count
    }
    return []
  }

  /// Whether `revbuf` has crossfaded between two blocks, because the decoder returned different
  /// audio for their overlap.
  var hasFaded: Bool {
    (pipeline.element("revbuf")?.count("seams-crossfaded", in: "stats") ?? 0) > 0
  }

  /// Gives the caps and tags of this pipeline to `source`, an appsrc of another pipeline. Returns
  /// false if no caps have arrived yet.
  func describe(to source: Element, duration: Duration) -> Bool {
    cgst_feed_like(source.pointer, sink.pointer, GstClockTime(clamping: duration.nanoseconds)) != 0
  }

  /// Continues with another region. The current one must have been read to its end.
  func go(to region: RegionPlan.Region) async throws {
    try await checkEnd()
    let seeker = pipeline.element("revbuf") == nil ? "inlet" : "revbuf"
    guard await pipeline.seek(seeker, to: region.start, stop: region.stop) else {
      throw file.unseekable
    }
    watch()
  }

  /// Throws the error of the pipeline, if there is one. If all samples have been read, waits for
  /// the message that ended the stream.
  func checkEnd() async throws {
    // after stop(), the sink is at its end, too, but no message will arrive
    try Task.checkCancellation()
    if cgst_is_at_end(sink.pointer) != 0 { await watching.withLock { $0 }?.value }
    if let error = trouble.withLock({ $0 }) { throw error }
    try Task.checkCancellation()
  }

  /// Stops reading, even while another thread waits for samples.
  func stop() async {
    await pipeline.stop()
  }

  /// Stops reading and discards the remaining data.
  func abandon() async {
    watching.withLock { $0 }?.cancel()
    await pipeline.stop()
  }

  /// Stops reading. Throws an error that the pipeline posted before the end of stream.
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

/// Runs a function that blocks its thread on a dispatch queue. If the task is cancelled, calls
/// `cancel`, which must make `body` return.
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
