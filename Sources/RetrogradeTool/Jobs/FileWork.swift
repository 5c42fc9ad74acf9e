// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

/// The work that is done on each file.
struct FileWork: Sendable {
  var request: EditRequest
  var output: OutputOptions
  var isVerified: Bool
  /// The seam that the user requested. If nil, the seam is exact for a lossy file that is verified,
  /// and otherwise smooth.
  var seam: AudioEdit.Seam?

  /// Does the work of a worker, and sends its replies. Returns whether it succeeded.
  func obey(_ order: WorkOrder) async -> Bool {
    guard case .render(let job, let target, let decoders, _) = order else { return false }
    do {
      let result = try await perform(job, into: target, decoders: decoders) {
        WorkReply.progress($0).send()
      }
      WorkReply.finished(result).send()
      return true
    } catch {
      WorkReply(error).send()
      return false
    }
  }

  private func perform(
    _ job: Job, into target: FilePath, decoders: Int,
    _ report: @escaping @Sendable (JobProgress) -> Void
  ) async throws -> JobResult {
    let share = isVerified ? 0.5 : 1
    let file = job.file
    let information = try await file.information()
    if let missing = information.missing, !output.incomplete {
      throw RetrogradeError(
        .inputDamaged,
        "\(file.label): \(missing); download or copy it again, or add --incomplete for what is left."
      )
    }
    let edit = try edit(for: information, named: file.label)
    let settings = settings(of: job, edit, for: information, decoders)
    let writing = file.render(edit, to: target.url, settings: settings)
    for await progress in writing.progress {
      report(JobProgress(progress, share: 0...share))
    }
    let rendering = try await writing.finish()
    var notes = request.notes(on: information, edit)
    if !job.isPiped { notes += rendering.pictureNotes(edit) }
    guard isVerified else { return JobResult(rendering: rendering, notes: notes) }
    let verifying = file.verify(rendering, of: edit)
    for await progress in verifying.progress {
      report(JobProgress(progress, share: share...1))
    }
    return JobResult(
      rendering: rendering, notes: notes, verification: try await verifying.finish(),
      seam: edit.seam)
  }

  /// The settings of the output. Settings that the user did not give are copied from the input.
  private func settings(
    of job: Job, _ edit: AudioEdit, for information: AudioInformation, _ decoders: Int
  ) -> OutputSettings {
    var settings = output.settings(type: job.type)
    settings.decoders = decoders
    return settings.completed(
      by: information, extension: job.output.fileExtension, channels: edit.channels,
      sameBitRate: output.bitRate == .same)
  }

  /// The edit for one file. A lossy decoder may add different noise each time, so a lossy file that
  /// is verified is decoded only once.
  private func edit(for information: AudioInformation, named name: String) throws -> AudioEdit {
    var edit = try request.edit(for: information, named: name)
    edit.seam = seam ?? (isVerified && information.isLossy ? .exact : .smooth)
    return edit
  }
}

struct JobProgress: Sendable, Equatable, Codable {
  /// Completed share, 0 … 1.
  var fraction: Double
  /// Duration of the input that has been processed.
  var seconds: Double
}

extension JobProgress {
  /// Converts the progress of one step to the progress of the whole job. `share` is the part of
  /// the job that the step covers.
  init(_ progress: AudioFile.Progress, share: ClosedRange<Double>) {
    fraction = share.lowerBound + (share.upperBound - share.lowerBound) * progress.fraction
    let done = progress.speed * progress.elapsed.inSeconds
    let whole = progress.fraction > 0 ? done / progress.fraction : 0
    seconds = fraction * whole
  }
}

struct JobResult: Sendable, Codable {
  var rendering: AudioFile.Rendering
  /// Notes about the request for the user, one sentence each.
  var notes: [String] = []
  var verification: AudioFile.Verification?
  var seam = AudioEdit.Seam.smooth

  /// A sentence for the user if the comparison may have failed because the decoder returns
  /// different audio each time; otherwise empty.
  var hint: String {
    // a decoder that adds noise never changes the number of frames
    let hasAllFrames = verification?.comparison.surplus == 0
    let mayHelp = rendering.input.isLossy && seam == .smooth && hasAllFrames
    return mayHelp ? " Its decoder may produce different noise each time; try --seam exact." : ""
  }

  var isGood: Bool { verification?.verdict != .different }
}
