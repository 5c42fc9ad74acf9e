// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

enum JobEvent: Sendable {
  case started
  case progress(JobProgress)
  case finished(JobResult)
  case failed(RetrogradeError)
}

/// An error that explains why an input is not processed.
struct Refusal: Error, Sendable {
  /// The name as the user wrote it, or nil if the refusal concerns several inputs.
  var input: FilePath?
  var error: RetrogradeError

  init(_ input: FilePath?, _ error: RetrogradeError) {
    (self.input, self.error) = (input, error)
  }

  /// Creates a refusal for an error that was thrown for `inputs`.
  init(_ error: any Error, _ inputs: [FilePath]) {
    let input = inputs.count == 1 ? inputs.first : nil
    self = error as? Refusal ?? Refusal(input, RetrogradeError(error))
  }
}

/// Reports events to the user, or to another program. The functions are called by many tasks
/// concurrently.
protocol Report: Sendable {
  func add(_ event: JobEvent, of job: Job)
  /// Reports that an input is not processed.
  func add(_ refusal: Refusal)
  /// Called after all jobs.
  func close()
}

extension Report {
  func close() {}
}
