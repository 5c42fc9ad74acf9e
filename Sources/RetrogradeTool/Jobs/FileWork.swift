// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

/// What is done to each file.
struct FileWork: Sendable {
  var edit: Edit
  var settings: OutputSettings
  var isVerified: Bool
  /// What the user wants of seams; nil: exact where a lossy file is verified.
  var seam: Seam?

  func perform(
    _ job: Job, _ report: @escaping @Sendable (JobProgress) -> Void
  ) async throws(RetrogradeError) -> JobResult {
    guard job.isPiped else { return try await perform(job, into: job.target, report) }
    let file = TemporaryFile()
    let result = try await perform(job, into: file.url, report)
    file.copy(to: .output)
    return result
  }

  private func perform(
    _ job: Job, into target: URL, _ report: @escaping @Sendable (JobProgress) -> Void
  ) async throws(RetrogradeError) -> JobResult {
    let share = isVerified ? 0.5 : 1
    let edit = try await edit(of: job.file)
    let rendering = try await job.file.render(edit, to: target, settings: settings) {
      report(
        JobProgress(fraction: share * $0.fraction, seconds: share * $0.speed * $0.elapsed.inSeconds)
      )
    }
    guard isVerified else { return JobResult(rendering: rendering) }
    let seconds = rendering.input.duration?.inSeconds ?? 0
    let verification = try await job.file.verify(rendering, of: edit) {
      let fraction = share + (1 - share) * $0
      report(JobProgress(fraction: fraction, seconds: fraction * seconds))
    }
    return JobResult(rendering: rendering, verification: verification, seam: edit.seam)
  }

  /// A lossy decoder may make other noise each time, so a verified file is decoded once.
  private func edit(of file: AudioFile) async throws(RetrogradeError) -> Edit {
    var edit = edit
    if let seam {
      edit.seam = seam
    } else if isVerified, try await file.information().isLossy {
      edit.seam = .exact
    }
    return edit
  }
}

/// How far a job has come.
struct JobProgress: Sendable, Equatable {
  /// 0 … 1.
  var fraction: Double
  /// How much of the input that is.
  var seconds: Double
}

/// What came of a job.
struct JobResult: Sendable {
  var rendering: Rendering
  var verification: Verification?
  var seam = Seam.smooth

  /// What may help where decoding the same twice gives different sound.
  var hint: String {
    // it never changes how many frames there are
    let hasAllFrames = verification?.comparison.surplus == 0
    let mayHelp = rendering.input.isLossy && seam == .smooth && hasAllFrames
    return mayHelp ? " Its decoder may make other noise each time; try --seam exact." : ""
  }

  var isGood: Bool { verification?.verdict != .different }
}
