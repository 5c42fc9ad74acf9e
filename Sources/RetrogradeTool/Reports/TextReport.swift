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
    /// No progress.
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
      case .started:
        board.running[job] = .init(fraction: 0, elapsed: .zero, inputDuration: .zero)
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
  private func show(_ progress: AudioFile.Progress, of job: Job, on board: inout Board) {
    board.running[job] = progress
    if case .bar(let count) = style { draw(&board, count: count, job) }
  }

  private func draw(_ board: inout Board, count: Int, _ job: Job) {
    let now = ContinuousClock.now
    if let last = board.drawn, now - last < .milliseconds(90) { return }
    board.drawn = now
    let name = count == 1 ? job.input.description : "\(board.done.count) of \(count) files"
    let bar = ProgressBar(name: name.printable, progress: board.progress(of: count))
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
  let clock = ContinuousClock.now
  var running: [Job: AudioFile.Progress] = [:]
  var done: [AudioFile.Progress] = []
  /// When we last drew the bar. Nil while it isn't visible.
  var drawn: ContinuousClock.Instant?

  mutating func finish(_ job: Job) {
    if let last = running.removeValue(forKey: job) { done.append(last) }
  }

  func progress(of count: Int) -> AudioFile.Progress {
    let all = done + running.values
    let fraction =
      (Double(done.count) + running.values.reduce(0) { $0 + $1.fraction }) / Double(count)
    let seconds = all.reduce(0) { $0 + $1.speed * $1.elapsed.inSeconds }
    return AudioFile.Progress(
      fraction: fraction, elapsed: .now - clock,
      inputDuration: .seconds(saturating: seconds / fraction))
  }
}
