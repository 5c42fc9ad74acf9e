// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Dispatch

/// A GStreamer pipeline. It's stopped and freed when you release the last reference.
///
/// `@unchecked Sendable`, because the pointers never change and the functions that we call with
/// them are thread-safe. Calls that wait for streaming threads run on a dispatch queue, so that
/// they don't block the threads of Swift's tasks.
final class Pipeline: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<GstElement>
  /// Only one task may read them at a time.
  let messages: AsyncStream<Message>
  /// Tells whether data still passes. Shared by all pipelines of a job.
  let activity = Activity.current ?? Activity()
  private let inbox: AsyncStream<Message>.Continuation
  private let bus: UnsafeMutablePointer<GstBus>
  private let queue = DispatchQueue(label: "retrograde.pipeline")

  /// `description` is written as for gst-launch-1.0. It mustn't contain file names. Set those as
  /// properties.
  init(_ description: String) throws(RetrogradeError) {
    try GStreamer.start()
    pointer = try Self.parse(description)
    guard let bus = gst_element_get_bus(pointer) else {
      gst_object_unref(pointer)
      throw RetrogradeError(.pipelineFailed, "GStreamer made a pipeline without a bus.")
    }
    self.bus = bus
    (messages, inbox) = Self.watch(bus)
    activity.watch(elements)
  }

  deinit {
    // Unchecked is safe, because no references are left and only this block uses the pointers
    let (pointer, bus) = (Unchecked(pointer), Unchecked(bus))
    gst_bus_set_sync_handler(bus.value, nil, nil, nil)
    queue.async {
      gst_element_set_state(pointer.value, GST_STATE_NULL)
      gst_object_unref(pointer.value)
      gst_object_unref(bus.value)
    }
  }

  private static func parse(
    _ description: String
  ) throws(RetrogradeError) -> UnsafeMutablePointer<GstElement> {
    var error: UnsafeMutablePointer<GError>?
    let context = gst_parse_context_new()
    defer { gst_parse_context_free(context) }
    let made = gst_parse_launch_full(description, context, GST_PARSE_FLAG_FATAL_ERRORS, &error)
    if let made, error == nil {
      gst_object_ref_sink(made)
      return made
    }
    if let made { gst_object_unref(made) }
    let reason = consumeMessage(of: error)
    let missing = adoptList(gst_parse_context_get_missing_elements(context))
    guard missing.isEmpty else { throw .missing(missing) }
    throw RetrogradeError(.pipelineFailed, "GStreamer could not build the pipeline: \(reason)")
  }

  /// We read messages in a sync handler, in the thread that posts them, so we don't need a main
  /// loop.
  private static func watch(
    _ bus: UnsafeMutablePointer<GstBus>
  ) -> (AsyncStream<Message>, AsyncStream<Message>.Continuation) {
    let (stream, continuation) = AsyncStream.makeStream(of: Message.self)
    let watcher = Watcher(continuation)
    gst_bus_set_sync_handler(
      bus,
      { _, message, data in
        if let message, let data {
          Unmanaged<Watcher>.fromOpaque(data).takeUnretainedValue().report(message)
          gst_message_unref(message)
        }
        return GST_BUS_DROP
      },
      Unmanaged.passRetained(watcher).toOpaque(),
      { data in if let data { Unmanaged<Watcher>.fromOpaque(data).release() } })
    return (stream, continuation)
  }
}

private final class Watcher: Sendable {
  private let continuation: AsyncStream<Message>.Continuation

  init(_ continuation: AsyncStream<Message>.Continuation) { self.continuation = continuation }

  deinit { continuation.finish() }

  func report(_ message: UnsafeMutablePointer<GstMessage>) {
    if let known = Message(message) { continuation.yield(known) }
  }
}

/// Makes a value `Sendable` without a check. Wherever you use it, say in a comment why it's safe.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

// MARK: - States, seeks and queries

extension Pipeline {
  /// Requests a state. ``messages`` reports when the pipeline reaches it.
  func request(_ state: GstState) async {
    await onQueue { _ = gst_element_set_state(self.pointer, state) }
  }

  /// Plays to the end of the stream. If an element fails, throws an error about `file` or, if we
  /// couldn't write, about `part`.
  func playToEnd(of file: AudioFile, into part: PartFile? = nil) async throws {
    await request(GST_STATE_PLAYING)
    try await waitForEnd(of: file, into: part)
  }

  /// Throws if `file` can't be read, or if `part` can't be written.
  func waitForEnd(of file: AudioFile, into part: PartFile? = nil) async throws {
    _ = try await wait(
      reading: file, orElse: { part?.error($0) },
      until: { if case .endOfStream = $0 { true } else { false } })
  }

  /// Reads messages until `isLast` returns true, and returns the tags from them. If an element
  /// fails, this throws an error about `file` unless `other` returns one.
  func wait(
    reading file: AudioFile,
    orElse other: @Sendable (PipelineFailure) -> RetrogradeError? = { _ in nil },
    until isLast: (Message) -> Bool
  ) async throws -> AudioTags {
    var tags = AudioTags()
    var missing: [String] = []
    let watchdog = watchForStall()
    defer { watchdog.cancel() }
    for await message in messages {
      if isLast(message) { return tags }
      switch message {
      case .tags(let more): tags.merge(more)
      case .missing(let what): missing.append(what)
      case .failed(let failure):
        throw other(failure) ?? file.error(failure, missing: missing)
      // the stream ended before preroll, so the file has no frames
      case .endOfStream: throw file.silence
      case .stuck: throw file.stuck
      case .latency: await recalculateLatency()
      default: break
      }
    }
    throw CancellationError()
  }

  /// Adds ``Message/stuck`` to the messages if no data passes for ten seconds, until you cancel the
  /// task.
  func watchForStall() -> Task<Void, any Error> {
    Task { [activity, inbox] in
      try await activity.waitUntilStuck()
      inbox.yield(.stuck)
    }
  }

  /// Stops all threads of the pipeline and closes its files. If a thread is stuck, its pipeline and
  /// the file that it reads stay open.
  func stop() async {
    guard activity.isStuck else { return await request(GST_STATE_NULL) }
    for sink: Element in Element.all(gst_bin_iterate_sinks(cast(pointer))) {
      gst_element_set_locked_state(sink.pointer, 1)
      gst_element_set_state(sink.pointer, GST_STATE_NULL)
    }
    queue.async { gst_element_set_state(self.pointer, GST_STATE_NULL) }
  }

  /// Sends a flushing, accurate seek to a time in the file. It goes to `revbuf`, because times after
  /// `timescale` are output times.
  func seek(to start: Duration) async -> Bool {
    let revbuf = element("revbuf")
    return await onQueue {
      gst_element_seek(
        revbuf?.pointer ?? self.pointer, 1, GST_FORMAT_TIME,
        GstSeekFlags(GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue),
        GST_SEEK_TYPE_SET, gint64(clamping: start.nanoseconds),
        GST_SEEK_TYPE_SET, -1) != 0
    }
  }

  /// Call it for each ``Message/latency``.
  func recalculateLatency() async {
    await onQueue { _ = gst_bin_recalculate_latency(cast(self.pointer)) }
  }

  func onQueue<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }

  /// All elements, also those in bins.
  var elements: [Element] { Element.all(gst_bin_iterate_recurse(cast(pointer))) }

  /// An element of the pipeline's description.
  func known(_ name: String) throws(RetrogradeError) -> Element {
    guard let element = element(name) else {
      throw RetrogradeError(.pipelineFailed, "The pipeline lacks the element \(name).")
    }
    return element
  }

  func element(_ name: String) -> Element? {
    cgst_bin_get(pointer, name).map { Element(taking: $0) }
  }
}
