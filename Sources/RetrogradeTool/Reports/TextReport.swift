// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde
import Synchronization

/// Reports events as sentences. Results go to standard output, everything else to standard error.
final class TextReport: Report {
  private struct Board {
    var running: [Job: AudioFile.Progress] = [:]
    var done = 0
  }

  private let isQuiet: Bool
  private let count: Int
  private let clock = ContinuousClock.now
  private let board = Mutex(Board())

  init(isQuiet: Bool, count: Int) { (self.isQuiet, self.count) = (isQuiet, count) }

  func add(_ event: JobEvent, of job: Job) {
    board.withLock { board in
      switch event {
      case .started: break
      case .progress(let progress):
        board.running[job] = progress
        draw(board, progress, of: job)
      case .finished(let result):
        finish(job, on: &board)
        if !isQuiet { write(result, of: job) }
      case .failed(let error):
        finish(job, on: &board)
        // most error messages contain the name of the file
        let names = [job.file.name, job.input.description, job.output.description]
        let isNamed = names.contains(where: error.message.contains)
        complain(error, isNamed ? "" : "\(job.input): ")
      }
    }
  }

  func refuse(_ input: FilePath?, _ error: RetrogradeError) { complain(error) }

  private func finish(_ job: Job, on board: inout Board) {
    board.running[job] = nil
    board.done += 1
    clearLine()
  }

  private func write(_ result: JobResult, of job: Job) {
    if !job.isPiped { Console.output.writeLine("wrote \(job.output)") }
    for sentence in result.losses + result.notes {
      Console.error.writeLine("\(job.output): \(sentence)")
    }
  }

  private func complain(_ error: RetrogradeError, _ name: String = "") {
    if error.code != .cancelled { Console.error.complain(name + error.message) }
  }

  // MARK: - A line in a terminal that we keep redrawing

  private var hasLine: Bool { !isQuiet && Console.error.isTerminal }

  private func draw(_ board: Board, _ progress: AudioFile.Progress, of job: Job) {
    guard hasLine else { return }
    let all = board.running.values.reduce(Double(board.done)) { $0 + $1.fraction }
    let whole = AudioFile.Progress(
      fraction: all / Double(count), elapsed: .now - clock, inputDuration: .zero)
    let line =
      count == 1
      ? "\(progress.text), \(job.input)" : "\(whole.text), \(board.done) of \(count) files"
    // overwrite the line from its start, and erase what is left of the old text
    let width = Console.error.size.columns - 1
    Console.error.write("\r\(line.printable.fitted(to: width))\u{1B}[K")
  }

  private func clearLine() {
    if hasLine { Console.error.write("\r\u{1B}[K") }
  }
}

extension AudioFile.Progress {
  /// For example "42 %, 35.2 × real time, 0:12 left".
  var text: String {
    var parts = ["\(Int(saturating: fraction * 100)) %"]
    let times =
      speed < 10 ? "\((speed * 10).rounded() / 10)" : "\(Int(saturating: speed.rounded()))"
    if speed > 0 { parts.append("\(times) × real time") }
    if let remaining { parts.append("\(remaining.clock) left") }
    return parts.joined(separator: ", ")
  }
}
