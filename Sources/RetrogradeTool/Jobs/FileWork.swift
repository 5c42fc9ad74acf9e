// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

struct FileWork: Sendable {
  var request: EditRequest
  var output: OutputOptions

  /// Carries out a worker's order and sends the replies. Returns false on failure.
  func obey(_ order: WorkOrder) async -> Bool {
    guard case .render(let job, let target, let map) = order else { return false }
    do {
      var work = self
      work.request.edit.timeMap = try map.map { try TimeMap($0) }
      let result = try await work.perform(job, into: target) { WorkReply.progress($0).send() }
      WorkReply.finished(result).send()
      return true
    } catch {
      WorkReply.failed(RetrogradeError(error)).send()
      return false
    }
  }

  private func perform(
    _ job: Job, into target: FilePath, _ report: @escaping @Sendable (AudioFile.Progress) -> Void
  ) async throws -> JobResult {
    let file = job.file
    let information = try await file.information()
    if let missing = information.missing, !output.incomplete {
      throw RetrogradeError(
        .inputDamaged,
        "\(file.label): \(missing); download or copy it again, or add --incomplete for what is left."
      )
    }
    let edit = try request.edit(for: information, named: file.label)
    let settings = settings(of: job, edit, for: information)
    let rendering = try await file.render(
      edit, to: target.url, settings: settings, progress: report)
    var notes = request.notes(on: information, edit)
    if !job.isPiped { notes += rendering.pictureNotes(edit) }
    return JobResult(
      file: rendering.output, clipped: rendering.clipped,
      losses: rendering.losses.map(\.description), notes: notes)
  }

  /// Fills in the settings that the user didn't give from the input.
  private func settings(
    of job: Job, _ edit: AudioEdit, for information: AudioInformation
  ) -> OutputSettings {
    var settings = output.settings(type: job.type)
    // an empty file is there already
    settings.replacesExisting = settings.replacesExisting || job.isPiped
    return settings.completed(
      by: information, extension: job.output.fileExtension, channels: edit.channels,
      sameBitRate: output.bitRate != nil)
  }
}

struct JobResult: Sendable, Codable {
  /// The new file.
  var file: AudioInformation
  /// The number of samples that were clipped.
  var clipped: Int64
  /// Sentences for the user.
  var losses, notes: [String]
}
