// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import FoundationEssentials
import Retrograde

/// How the work on several files is done and told about.
struct RunOptions: ParsableArguments {
  @Option(
    name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
    help: "How many files are worked on at a time (default: one for each processor core).")
  var jobs: Int?

  @Flag(help: "Tell what happens for machines: a JSON object a line.")
  var json = false

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be 1 or more.") }
    if json && quiet { throw ValidationError("--json and --quiet do not go together.") }
  }

  /// Does the work on every input; throws the exit status where it is not 0.
  func perform(
    _ work: FileWork, on inputs: [String], output: OutputOptions, suffix: String
  ) async throws {
    let report = makeReport(for: inputs.count)
    let plan: [Job]
    do throws(RetrogradeError) {
      try work.edit.validate()
      plan = try Job.plan(inputs, output: output, suffix: suffix)
      try checkPipe(plan)
    } catch {
      report.tell(.failed(error), of: nil)
      throw ExitCode.validationFailure
    }
    let limit = jobs ?? ProcessInfo.processInfo.activeProcessorCount
    let (isDone, signal) = await Interruption.watched {
      await JobRunner(report: report, limit: limit).run(plan, work)
    }
    report.close()
    if let signal { throw ExitCode(128 + signal) }
    if !isDone { throw ExitCode.failure }
  }

  private func checkPipe(_ plan: [Job]) throws(RetrogradeError) {
    guard plan.contains(where: \.isPiped) else { return }
    if json {
      throw RetrogradeError(
        .invalidArgument, "--json goes to standard output as well; name a file with --output.")
    }
    if Console.output.isTerminal {
      throw RetrogradeError(
        .invalidArgument,
        "Standard output is a terminal; send it into a file or a pipe, or name a file.")
    }
  }

  private func makeReport(for count: Int) -> any Report {
    if json { return JSONReport() }
    if quiet { return TextReport(style: .errors) }
    return TextReport(style: Console.error.isTerminal ? .bar(count: count) : .lines)
  }
}
