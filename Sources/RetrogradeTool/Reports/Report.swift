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

/// Reports events to the user, or to another program. Many tasks call it concurrently.
protocol Report: Sendable {
  func add(_ event: JobEvent, of job: Job)
  /// There's no job for this input. Nil if the error is about several inputs.
  func refuse(_ input: FilePath?, _ error: RetrogradeError)
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
