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

/// Tells the user, or a program, what happens; from many tasks at once.
protocol Report: Sendable {
  /// `job` is nil for trouble before any was made.
  func tell(_ event: JobEvent, of job: Job?)
  /// Everything is done.
  func close()
}

extension Report {
  func close() {}
}
