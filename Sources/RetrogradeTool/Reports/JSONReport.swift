// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde
import Synchronization

/// Writes JSON objects to standard output, one per line.
final class JSONReport: Report {
  private let clock = ContinuousClock.now
  /// When each job began, and when it last reported progress.
  private let times = Mutex<
    [Job: (start: ContinuousClock.Instant, last: ContinuousClock.Instant?)]
  >([:])

  func add(_ event: JobEvent, of job: Job) {
    if case .progress(let progress) = event, !isDue(progress, of: job) { return }
    var line = Line(event: event.name, input: job.input.description)
    switch event {
    case .started:
      times.withLock { $0[job] = (.now, nil) }
      line.output = job.output.description
    case .progress(let progress):
      let start = times.withLock { $0[job]?.start } ?? clock
      line.add(Pace(progress, elapsed: .now - start))
    case .finished(let result):
      line.output = job.output.description
      line.add(result)
    case .failed(let error): line.add(error)
    }
    Console.output.write(Self.text(line) + "\n")
  }

  func add(_ refusal: Refusal) {
    var line = Line(event: "failed", input: .some(refusal.input?.description))
    line.add(refusal.error)
    Console.output.write(Self.text(line) + "\n")
  }

  /// Reports are due about ten times a second, and at the end.
  private func isDue(_ progress: JobProgress, of job: Job) -> Bool {
    times.withLock { times in
      let now = ContinuousClock.now
      if let last = times[job]?.last, now - last < .milliseconds(90), progress.fraction < 1 {
        return false
      }
      times[job]?.last = now
      return true
    }
  }

  /// On one line. Encoding can't fail, because reports never contain numbers that JSON can't
  /// represent.
  static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

private struct Line: Encodable {
  var event: String
  /// Encoded as null if it stands for several inputs.
  var input: String??
  var output: String?
  var fraction: Double?
  var speed: Double?
  var remaining: Double?
  var seconds: Double?
  var rate: Int?
  var channels: Int?
  var frames: Int64?
  var clipped: Int64?
  var losses: [String]?
  var notes: [String]?
  var code: RetrogradeError.Code?
  var message: String?

  mutating func add(_ error: RetrogradeError) {
    (code, message) = (error.code, error.message)
  }

  mutating func add(_ pace: Pace) {
    (fraction, speed, remaining) = (pace.fraction, pace.speed, pace.remaining)
  }

  mutating func add(_ result: JobResult) {
    let output = result.rendering.output
    (seconds, frames) = (output.duration?.inSeconds, output.frames)
    (rate, channels) = (output.rate, output.channels)
    clipped = result.rendering.clipped
    losses = result.rendering.losses.map(\.description)
    notes = result.notes
  }
}

extension JobEvent {
  fileprivate var name: String {
    switch self {
    case .started: "started"
    case .progress: "progress"
    case .finished: "finished"
    case .failed: "failed"
    }
  }
}
