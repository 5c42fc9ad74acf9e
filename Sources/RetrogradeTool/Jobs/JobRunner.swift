// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

/// Processes several files at a time, each in its own process. If one job fails, the others carry
/// on.
struct JobRunner: Sendable {
  let report: any Report
  /// The maximum number of jobs to run at the same time.
  let limit: Int
  let map: TimeMap?

  func run(_ jobs: [Job]) async -> Bool {
    let results = await jobs.concurrentMap(limit: limit) { await run($0) }
    return results.count == jobs.count && results.allSatisfy(\.self)
  }

  private func run(_ job: Job) async -> Bool {
    report.add(.started, of: job)
    do {
      report.add(.finished(try await perform(job)), of: job)
      return true
    } catch {
      report.add(.failed(RetrogradeError(error).forUsers(of: job)), of: job)
      return false
    }
  }

  private func perform(_ job: Job) async throws -> JobResult {
    guard job.isPiped else { return try await perform(job, into: job.output) }
    let file = TemporaryFile()
    try file.prepare()
    let result = try await perform(job, into: file.path)
    file.copy(to: .output)
    return result
  }

  private func perform(_ job: Job, into target: FilePath) async throws -> JobResult {
    let order = WorkOrder.render(job, target: target, map: map?.points)
    let reply = try await WorkerProcess.reply(to: order, about: job.input.description) {
      report.add(.progress($0), of: job)
    }
    guard case .finished(let result) = reply else { throw CancellationError() }
    return result
  }
}

extension RetrogradeError {
  /// If the output exists, we need to mention --force, which the library doesn't know about.
  fileprivate func forUsers(of job: Job) -> RetrogradeError {
    guard code == .outputExists else { return self }
    return RetrogradeError(
      code, "\(job.output): it already exists; choose another name, or add --force to replace it.")
  }
}

extension Array where Element: Sendable {
  /// The results of `work` for all elements. Works on at most `limit` at a time, and doesn't begin
  /// any more once the task is cancelled.
  func concurrentMap<Result: Sendable>(
    limit: Int = ProcessInfo.processInfo.activeProcessorCount,
    _ work: @escaping @Sendable (Element) async -> Result
  ) async -> [Result] {
    await withTaskGroup(of: (Int, Result).self) { group in
      var waiting = enumerated().map(\.self)[...]
      var results: [(Int, Result)] = []
      func addNext() {
        guard let (index, element) = waiting.popFirst() else { return }
        group.addTask { (index, await work(element)) }
      }
      for _ in prefix(limit) { addNext() }
      for await result in group {
        results.append(result)
        if !Task.isCancelled { addNext() }
      }
      return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
