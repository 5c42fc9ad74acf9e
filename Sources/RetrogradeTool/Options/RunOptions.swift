// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import FoundationEssentials
import Glibc
import Retrograde

struct RunOptions: ParsableArguments, Sendable {
  @Option(
    name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
    help: "How many files to process at a time (default: one for each processor core).")
  var jobs: Int?

  @Flag(
    name: .shortAndLong,
    help: "Search folders, and keep their subfolders. Files made by an earlier run are left out.")
  var recursive = false

  @Flag(help: "Print progress and results as JSON, one object per line; see man retrograde.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only errors.")
  var quiet = false

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be 1 or more.") }
    if json && quiet { throw ValidationError("--json and --quiet cannot be combined.") }
  }

  /// Throws the exit status unless it's 0.
  func perform(_ work: FileWork, on inputs: [FilePath], suffix: String) async throws {
    if let order = WorkOrder.own {
      guard await work.obey(order) else { throw ExitCode.failure }
      return
    }
    let outcome = await Signals.cancelling { await run(work, inputs, suffix) }
    if let signal = Signals.received { throw ExitCode(128 + signal) }
    if !outcome.isSuccess { throw outcome }
  }

  private func run(_ work: FileWork, _ inputs: [FilePath], _ suffix: String) async -> ExitCode {
    let search = SourceSearch(
      folders: recursive ? .recursive : .refused, pipe: TemporaryFile(),
      made: (work.output.output ?? ".", "-\(suffix)"))
    var report = makeReport(for: inputs.count)
    var edit = work.request.edit
    do {
      if let path = work.request.mapFile { edit.timeMap = try TimeMap(path) }
      try edit.validate()
      let found = await search.sources(inputs).concurrentMap { await $0.examined() }
      let sources = found.filter { $0.fault == nil }
      report = makeReport(for: sources.count)
      for source in found { source.fault.map { report.refuse(source.input, $0) } }
      // a folder counts as several inputs, even if it contains only one file
      let isMany = found.count > 1 || found.map(\.input) != inputs
      let plan = try Job.plan(
        sources, isMany: isMany, output: work.output, suffix: suffix, map: work.request.mapFile)
      try checkPipe(plan)
      for job in plan where !job.isPiped { try job.output.folder.makeFolder() }
      let limit = jobs ?? ProcessInfo.processInfo.activeProcessorCount
      let isDone = await JobRunner(report: report, limit: limit, map: edit.timeMap).run(plan)
      return isDone && sources.count == found.count ? .success : .failure
    } catch {
      report.refuse(inputs.count == 1 ? inputs.first : nil, RetrogradeError(error))
      return .validationFailure
    }
  }

  private func checkPipe(_ plan: [Job]) throws(RetrogradeError) {
    guard plan.contains(where: \.isPiped) else { return }
    if json {
      throw RetrogradeError.invalid(
        "--json goes to standard output as well; name a file with --output.")
    }
    if Console.output.isTerminal {
      throw RetrogradeError.invalid(
        "Standard output is a terminal; redirect it to a file or a pipe, or name a file.")
    }
  }

  private func makeReport(for count: Int) -> any Report {
    if json { return JSONReport() }
    return TextReport(isQuiet: quiet, count: count)
  }
}

extension FilePath {
  /// Creates this folder and the ones it's in, where they're missing.
  fileprivate func makeFolder() throws(RetrogradeError) {
    if access(cString, F_OK) == 0 || folder == self { return }
    try folder.makeFolder()
    guard mkdir(cString, 0o777) == 0 || errno == EEXIST else {
      throw RetrogradeError.unwritable(
        "\(self): this folder cannot be created (\(String(cString: strerror(errno)))); choose another."
      )
    }
  }
}
