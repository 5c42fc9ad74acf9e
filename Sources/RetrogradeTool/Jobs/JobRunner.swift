// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// Processes several files at a time; if one job fails, the other jobs continue.
struct JobRunner: Sendable {
  let report: any Report
  /// Maximum number of jobs in parallel.
  let limit: Int

  /// Runs all jobs; returns whether all of them succeeded.
  func run(_ jobs: [Job], _ work: FileWork) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      var waiting = jobs[...]
      var isDone = true
      for job in waiting.prefix(limit) { group.addTask { await run(job, work) } }
      waiting = waiting.dropFirst(limit)
      for await isGood in group {
        isDone = isDone && isGood
        guard !Task.isCancelled, let job = waiting.popFirst() else { continue }
        group.addTask { await run(job, work) }
      }
      return isDone && waiting.isEmpty
    }
  }

  private func run(_ job: Job, _ work: FileWork) async -> Bool {
    report.add(.started, of: job)
    do {
      let result = try await work.perform(job) { report.add(.progress($0), of: job) }
      report.add(.finished(result), of: job)
      return result.isGood
    } catch {
      report.add(.failed(RetrogradeError(error).forUsers(of: job)), of: job)
      return false
    }
  }
}

extension RetrogradeError {
  /// The error for users of the tool. If the output exists, the message must mention --force, an
  /// option that the library does not know.
  fileprivate func forUsers(of job: Job) -> RetrogradeError {
    guard code == .outputExists else { return self }
    return RetrogradeError(
      code, "\(job.output): it already exists; choose another name, or add --force to replace it.")
  }
}
