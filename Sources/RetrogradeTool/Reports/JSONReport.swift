// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

/// Writes JSON objects to standard output, one per line.
struct JSONReport: Report {
  func add(_ event: JobEvent, of job: Job) {
    let (input, output) = (job.input.description, job.output.description)
    switch event {
    case .started: write("started", ["input": input, "output": output])
    case .progress(let progress):
      write(
        "progress",
        [
          "input": input, "fraction": progress.fraction,
          "speed": progress.speed > 0 ? progress.speed : nil,
          "remaining": progress.remaining?.inSeconds,
        ])
    case .finished(let result):
      let file = result.file
      write(
        "finished",
        [
          "input": input, "output": output, "seconds": file.duration?.inSeconds,
          "rate": file.rate, "channels": file.channels, "frames": file.frames,
          "clipped": result.clipped, "losses": result.losses, "notes": result.notes,
        ])
    case .failed(let error): refuse(job.input, error)
    }
  }

  func refuse(_ input: FilePath?, _ error: RetrogradeError) {
    let input: any Encodable = input?.description  // null if there's none
    write("failed", ["input": input, "code": error.code, "message": error.message])
  }

  private func write(_ event: String, _ fields: [String: (any Encodable)?]) {
    Console.output.write(Self.text(fields.merging(["event": event]) { $1 }) + "\n")
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
