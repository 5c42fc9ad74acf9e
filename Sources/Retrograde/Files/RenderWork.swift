// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

/// One run of a pipeline that reads a file and writes another.
struct Work {
  let file: AudioFile
  let edit: Edit
  let information: AudioInformation
  let pipeline: Pipeline
  /// Of what is read, in its own time.
  let duration: Duration

  init(
    _ edit: Edit, of file: AudioFile, _ information: AudioInformation, _ encoding: Encoding,
    into output: URL
  ) throws(RetrogradeError) {
    self.file = file
    self.edit = edit
    self.information = information
    duration = information.duration(of: edit.region)
    let parts =
      edit.elements(for: information) + [
        // its times begin at 0, and its position is that of the output
        "identity name=meter single-segment=true",
        encoding.elements(
          for: information, channels: edit.channels == .all ? information.channels : 1),
        "filesink name=sink",
      ]
    pipeline = try file.pipeline(parts.joined(separator: " ! "))
    pipeline.element("sink")?.set("location", exactly: output.path)
    pipeline.setTags(encoding.tags(for: information))
    let delay = Double(encoding.delay) / Double(encoding.rate(for: information))
    pipeline.element(Encoding.encoderName)?.advance(by: .seconds(delay))
  }

  func run(_ progress: (@Sendable (RenderProgress) -> Void)?) async throws(RetrogradeError) {
    let clock = ContinuousClock.now
    let meter = Task {
      while !Task.isCancelled {
        progress?(self.progress(since: clock))
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    defer { meter.cancel() }
    do {
      if let region = edit.region { try await pipeline.enter(region, of: file) }
      try await pipeline.playToEnd(of: file)
      await pipeline.stop()
    } catch {
      await pipeline.stop()
      throw error
    }
    progress?(
      RenderProgress(fraction: 1, elapsed: .now - clock, inputDuration: duration))
  }

}

// MARK: - Progress

extension Work {
  private func progress(since clock: ContinuousClock.Instant) -> RenderProgress {
    let written = share(pipeline.element("meter")?.position(), of: duration.inSeconds * edit.factor)
    let fraction = collects ? (collected + written) / 2 : written
    return RenderProgress(fraction: fraction, elapsed: .now - clock, inputDuration: duration)
  }

  /// Whether all of the sound is read before any is written.
  private var collects: Bool {
    let keepsEndpoints = edit.factor != 1 && edit.alignment == .endpoints
    let turnsAgain = edit.direction == .forward && edit.region != nil
    return keepsEndpoints || turnsAgain || edit.isCollected(information)
  }

  /// How much has been read.
  private var collected: Double {
    let isForward = !edit.turns || edit.isCollected(information)
    let place = pipeline.element(isForward ? "inlet" : "revbuf")?.position()
    let start = edit.region?.lowerBound ?? .zero
    let share = share(place.map { $0 - start }, of: duration.inSeconds)
    return isForward || place == nil ? share : 1 - share
  }

  private func share(_ place: Duration?, of whole: Double) -> Double {
    guard let place, whole > 0 else { return 0 }
    return min(max(place.inSeconds / whole, 0), 1)
  }
}
