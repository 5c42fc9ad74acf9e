// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// An event of a job.
enum JobEvent: Sendable {
  case started
  case progress(JobProgress)
  case finished(JobResult)
  case failed(RetrogradeError)
}

/// Why no job is made of an input.
struct Refusal: Error, Sendable {
  /// As the user wrote it; nil if it is about several.
  var input: String?
  var error: RetrogradeError

  init(_ input: String?, _ error: RetrogradeError) {
    (self.input, self.error) = (input, error)
  }

  /// The refusal for an error that was thrown for `inputs`.
  init(_ error: any Error, _ inputs: [String]) {
    let input = inputs.count == 1 ? inputs.first : nil
    self = error as? Refusal ?? Refusal(input, RetrogradeError(error))
  }
}

/// Reports events to the user, or to a program; called from many tasks concurrently.
protocol Report: Sendable {
  func add(_ event: JobEvent, of job: Job)
  /// No job is made of an input.
  func add(_ refusal: Refusal)
  /// Everything is done.
  func close()
}

extension Report {
  func close() {}
}
