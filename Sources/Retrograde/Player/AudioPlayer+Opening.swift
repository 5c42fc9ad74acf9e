// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioPlayer {
  /// Opens a file and prepares for playback, paused at its beginning. If the direction is reverse,
  /// it's paused at its end. The previous file is closed, and its loop is gone.
  ///
  /// If the file can't be decoded or if there's no sound device
  /// (``RetrogradeError/Code/deviceUnavailable``), it throws an error with a sentence for the user.
  /// No file is open then.
  @discardableResult
  public func open(_ file: AudioFile) async throws -> AudioInformation {
    try await inOrder { try await load(file) }
  }

  private func load(_ file: AudioFile) async throws -> AudioInformation {
    await eject()
    let information = try await file.opened()
    let prepared = try await file.prepared(effects, information)
    let loaded = try LoadedFile(
      prepared.file, prepared.information, sink: sink, effects: effects,
      scaledAs: information.floatFormat)
    loaded.set(direction, speed)
    loaded.set(settings)
    try record(from: loaded, information)
    do {
      try await start(loaded)
    } catch {
      await loaded.pipeline.stop()
      throw error
    }
    // the pipeline has opened the file by now
    withExtendedLifetime(prepared.part) {}
    (self.loaded, self.information, state) = (loaded, information, .paused)
    watch(loaded)
    report(at: edge(for: direction))
    return information
  }

  /// Stops playback, closes the sound device, and completes the recording. All streams of
  /// ``positions`` and ``events`` end.
  public func close() async {
    await inOrder {
      await eject()
      recorder?.close()
      recorder = nil
      positionBoard.finish()
      eventBoard.finish()
    }
  }

  func eject() async {
    for watcher in watchers { watcher.cancel() }
    watchers = []
    let old = loaded
    (loaded, information, state) = (nil, nil, .empty)
    (settings.loop, settings.ladder) = (Loop(), [])
    await old?.pipeline.stop()
  }

  private func record(
    from loaded: LoadedFile, _ information: AudioInformation
  ) throws(RetrogradeError) {
    guard case .file(let url) = sink else { return }
    if self.recorder == nil { self.recorder = try Recorder(url, like: information) }
    guard let recorder else { return }
    loaded.pipeline.element("recording-format")?.set("caps", recorder.caps)
    if let sink = loaded.pipeline.element("recorder") { recorder.record(sink) }
  }

  /// We open the sound device before the file. Otherwise, we'd report an error of the device as one
  /// of the file.
  private func start(_ loaded: LoadedFile) async throws {
    let isOpen = await loaded.pipeline.onQueue {
      gst_element_set_state(loaded.pipeline.pointer, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE
    }
    if isOpen && sink == .automatic && loaded.isFake { throw Self.noDevice }
    if isOpen { await loaded.pipeline.request(GST_STATE_PAUSED) }
    try await waitUntilReady(loaded)
  }

  private func waitUntilReady(_ loaded: LoadedFile) async throws {
    let watchdog = loaded.pipeline.watchForStall()
    defer { watchdog.cancel() }
    for await message in loaded.pipeline.messages {
      switch message {
      case .asyncDone: return
      case .stuck: throw loaded.file.stuck
      case .failed(let failure): throw error(failure, of: loaded)
      case .endOfStream: throw loaded.file.silence
      default: break
      }
    }
    throw CancellationError()
  }

  static let noDevice = RetrogradeError(
    .deviceUnavailable,
    "No sound device was found; choose another sink, such as one that writes a file.")

  func error(_ failure: PipelineFailure, of loaded: LoadedFile) -> RetrogradeError {
    guard loaded.isFromOutput(failure) else { return loaded.file.error(failure) }
    if case .file(let url) = sink {
      return RetrogradeError(
        .outputUnwritable, "\(FilePath(url)): nothing more can be written; make room on the disk.")
    }
    return RetrogradeError(
      .deviceUnavailable, "The sound cannot be played; choose another sink. (\(failure.text))")
  }
}
