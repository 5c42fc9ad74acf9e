// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioPlayer {
  /// Opens a file, ready to play but paused at its beginning, or at its end in reverse. Closes the
  /// previous file and clears its loop.
  ///
  /// Throws an error with a sentence for the user if we can't decode the file or if there's no
  /// sound device (``RetrogradeError/Code/deviceUnavailable``). No file is open after that.
  @discardableResult
  public func open(_ file: AudioFile) async throws -> AudioInformation {
    try await inOrder { try await load(file) }
  }

  private func load(_ file: AudioFile) async throws -> AudioInformation {
    await eject()
    let information = try await file.opened()
    let prepared = try await file.prepared(effects, information)
    if case .file(let url) = sink, recorder == nil {
      recorder = try Recorder(url, like: information)
    }
    let loaded = try LoadedFile(
      prepared.file, prepared.information, sink: recorder?.elements ?? sink.elements,
      effects: effects, scaledAs: information.floatFormat)
    loaded.set(direction, speed)
    loaded.set(settings)
    do {
      try await start(loaded)
    } catch {
      await loaded.pipeline.stop()
      throw error
    }
    // the pipeline has the file open by now
    withExtendedLifetime(prepared.part) {}
    (self.loaded, self.information, state) = (loaded, information, .paused)
    watch(loaded)
    report(at: edge(for: direction))
    return information
  }

  /// Stops playback, closes the sound device, and completes the recording. Ends all ``positions``
  /// and ``events`` streams.
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

  /// We open the sound device before the file, because otherwise we'd blame the file for errors
  /// from the device.
  private func start(_ loaded: LoadedFile) async throws {
    let isOpen = await loaded.pipeline.onQueue {
      gst_element_set_state(loaded.pipeline.pointer, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE
    }
    if isOpen && sink == .automatic && loaded.outputs(to: "fake-audio-sink") { throw Self.noDevice }
    if isOpen { await loaded.pipeline.request(GST_STATE_PAUSED) }
    _ = try await loaded.pipeline.preroll(of: loaded.file) { error($0, of: loaded) }
  }

  static let noDevice = RetrogradeError(
    .deviceUnavailable,
    "No sound device was found; choose another sink, such as one that writes a file.")

  /// The error if the output has failed, or nil for any other failure.
  nonisolated func error(_ failure: PipelineFailure, of loaded: LoadedFile) -> RetrogradeError? {
    guard loaded.outputs(to: failure.source) else { return nil }
    if case .file(let url) = sink {
      return RetrogradeError.unwritable(
        "\(FilePath(url)): nothing more can be written; make room on the disk.")
    }
    return RetrogradeError(
      .deviceUnavailable, "The sound cannot be played; choose another sink. (\(failure.text))")
  }
}
