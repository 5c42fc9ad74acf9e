// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde
import Synchronization

/// Writes JSON objects to standard output, one per line.
final class JSONReport: Report {
  /// When each job last reported progress.
  private let times = Mutex<[Job: ContinuousClock.Instant]>([:])

  func add(_ event: JobEvent, of job: Job) {
    let (input, output) = (job.input.description, job.output.description)
    switch event {
    case .started: write("started", ["input": input, "output": output])
    case .progress(let progress):
      guard isDue(progress, of: job) else { return }
      write(
        "progress",
        [
          "input": input, "fraction": progress.fraction,
          "speed": progress.speed > 0 ? progress.speed : nil,
          "remaining": progress.remaining?.inSeconds,
        ])
    case .finished(let result):
      let file = result.rendering.output
      write(
        "finished",
        [
          "input": input, "output": output, "seconds": file.duration?.inSeconds,
          "rate": file.rate, "channels": file.channels, "frames": file.frames,
          "clipped": result.rendering.clipped,
          "losses": result.rendering.losses.map(\.description), "notes": result.notes,
        ])
    case .failed(let error):
      write("failed", ["input": input, "code": error.code, "message": error.message])
    }
  }

  func add(_ refusal: Refusal) {
    // null if it stands for several inputs
    let input: any Encodable = refusal.input?.description
    let error = refusal.error
    write("failed", ["input": input, "code": error.code, "message": error.message])
  }

  private func write(_ event: String, _ fields: [String: (any Encodable)?]) {
    Console.output.write(Self.text(fields.merging(["event": event]) { $1 }) + "\n")
  }

  /// Reports are due about ten times a second, and at the end.
  private func isDue(_ progress: AudioFile.Progress, of job: Job) -> Bool {
    times.withLock { times in
      let now = ContinuousClock.now
      if let last = times[job], now - last < .milliseconds(90), progress.fraction < 1 {
        return false
      }
      times[job] = now
      return true
    }
  }

  /// A JSON object on one line, without the fields that are nil.
  static func text(_ fields: [String: (any Encodable)?]) -> String {
    let parts = fields.sorted { $0.key < $1.key }.compactMap { name, value in
      value.map { "\"\(name)\":\(text(of: $0))" }
    }
    return "{\(parts.joined(separator: ","))}"
  }

  /// Encoding can't fail, because reports never contain numbers that JSON can't represent.
  private static func text(of value: any Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }
}
