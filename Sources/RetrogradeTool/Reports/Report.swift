// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// What happens to a job.
enum JobEvent: Sendable {
  case started
  case progress(JobProgress)
  case finished(JobResult)
  case failed(RetrogradeError)
}

/// Why no job is made of an input.
struct Refusal: Error, Sendable {
  /// As the user wrote it; nil where it is about several.
  var input: String?
  var error: RetrogradeError

  init(_ input: String?, _ error: RetrogradeError) {
    (self.input, self.error) = (input, error)
  }

  /// What has been thrown where `inputs` were named.
  init(_ error: any Error, _ inputs: [String]) {
    let input = inputs.count == 1 ? inputs.first : nil
    self = error as? Refusal ?? Refusal(input, RetrogradeError(error))
  }
}

/// Tells the user, or a program, what happens; from many tasks at once.
protocol Report: Sendable {
  func tell(_ event: JobEvent, of job: Job)
  /// No job is made of an input.
  func tell(_ refusal: Refusal)
  /// Everything is done.
  func close()
}

extension Report {
  func close() {}
}
