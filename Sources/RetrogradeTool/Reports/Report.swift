// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

enum JobEvent: Sendable {
  case started
  case progress(AudioFile.Progress)
  case finished(JobResult)
  case failed(RetrogradeError)
}

struct Refusal: Error, Sendable {
  var input: FilePath?
  var error: RetrogradeError

  init(_ input: FilePath?, _ error: RetrogradeError) {
    (self.input, self.error) = (input, error)
  }

  init(_ error: any Error, _ inputs: [FilePath]) {
    let input = inputs.count == 1 ? inputs.first : nil
    self = error as? Refusal ?? Refusal(input, RetrogradeError(error))
  }
}

/// Reports events to the user, or to another program. Many tasks call it concurrently.
protocol Report: Sendable {
  func add(_ event: JobEvent, of job: Job)
  func add(_ refusal: Refusal)
  func close()
}

extension Report {
  func close() {}
}

extension RetrogradeError.Code {
  static let cancelled = Self(rawValue: "cancelled")
}

extension RetrogradeError {
  /// We treat any error that isn't a `RetrogradeError` as a cancellation.
  init(_ error: any Error) {
    self =
      error as? RetrogradeError ?? RetrogradeError(.cancelled, "The work was cancelled.")
  }
}
