// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde
import Synchronization

/// Reports events as sentences. Results go to standard output, everything else to standard error.
final class TextReport: Report {
  enum Style: Sendable, Equatable {
    /// A single line in a terminal that we keep redrawing. `count` is the number of files.
    case bar(count: Int)
    /// Log lines: one for each tenth of a file, but at most one per second.
    case lines
    case errors
  }

  private let style: Style
  private let board = Mutex(Board())

  init(style: Style) {
    self.style = style
  }

  func add(_ event: JobEvent, of job: Job) {
    board.withLock { board in
      switch event {
      case .started: board.running[job] = Board.Running()
      case .progress(let progress): show(progress, of: job, on: &board)
      case .finished(let result):
        board.finish(job)
        clearBar(&board)
        write(result, of: job)
      case .failed(let error):
        board.finish(job)
        clearBar(&board)
        write(error, of: job)
      }
    }
  }

  func close() {
    board.withLock { clearBar(&$0) }
  }
}

// MARK: - Results

extension TextReport {
  private func write(_ result: JobResult, of job: Job) {
    if style != .errors {
      if !job.isPiped { Console.output.writeLine("wrote \(job.output)") }
      for loss in result.rendering.losses.map(\.description) + result.notes {
        Console.error.writeLine("\(job.output): \(loss)")
      }
    }
  }

  private func write(_ error: RetrogradeError, of job: Job) {
    if error.code == .cancelled { return }
    // most error messages contain the name of the file
    let isNamed = [
      job.file.name, job.file.label, job.output.description,
      FilePath(job.target).description,
    ].contains(where: error.message.contains)
    let name = isNamed ? "" : "\(job.input): "
    Console.error.writeLine("retrograde: \(name)\(error.message)")
  }

  func add(_ refusal: Refusal) {
    if refusal.error.code == .cancelled { return }
    Console.error.writeLine("retrograde: \(refusal.error.message)")
  }
}

// MARK: - Progress

extension TextReport {
  private func show(_ progress: JobProgress, of job: Job, on board: inout Board) {
    guard let before = board.running[job] else { return }
    board.running[job]?.progress = progress
    let hasTenth =
      Int(saturating: progress.fraction * 10) > Int(saturating: before.progress.fraction * 10)
    switch style {
    case .bar(let count): draw(&board, count: count, job)
    // a line is due a second after the job's last line, or after its start
    case .lines where hasTenth && ContinuousClock.now - before.lastLine >= .seconds(1):
      board.running[job]?.lastLine = .now
      let pace = Pace(progress, elapsed: .now - before.start)
      Console.error.writeLine("\(job.input): \(pace.text)")
    default: break
    }
  }

  private func draw(_ board: inout Board, count: Int, _ job: Job) {
    let now = ContinuousClock.now
    if let last = board.drawn, now - last < .milliseconds(90) { return }
    board.drawn = now
    let name = count == 1 ? job.input.description : "\(board.done) of \(count) files"
    let bar = ProgressBar(name: name.printable, pace: board.pace(of: count))
    // overwrite the line from its start, and erase what is left of the old text
    Console.error.write("\r\(bar.line(width: Console.error.size.columns - 1))\u{1B}[K")
  }

  private func clearBar(_ board: inout Board) {
    guard board.drawn != nil else { return }
    board.drawn = nil
    Console.error.write("\r\u{1B}[K")
  }
}

private struct Board {
  struct Running {
    var progress = JobProgress(fraction: 0, seconds: 0)
    let start = ContinuousClock.now
    /// When we last wrote a line about it, or its start.
    var lastLine = ContinuousClock.now
  }

  let clock = ContinuousClock.now
  var running: [Job: Running] = [:]
  var done = 0
  var doneSeconds = 0.0
  /// When we last drew the bar. Nil while it isn't visible.
  var drawn: ContinuousClock.Instant?

  mutating func finish(_ job: Job) {
    guard let last = running.removeValue(forKey: job) else { return }
    done += 1
    doneSeconds += last.progress.seconds
  }

  func pace(of count: Int) -> Pace {
    let fraction = Double(done) + running.values.reduce(0) { $0 + $1.progress.fraction }
    let seconds = doneSeconds + running.values.reduce(0) { $0 + $1.progress.seconds }
    return Pace(
      JobProgress(fraction: fraction / Double(count), seconds: seconds), elapsed: .now - clock)
  }
}
