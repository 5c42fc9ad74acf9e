// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

// Writes the file with the current settings of the player into a new file, in the background.

extension PlaySession {
  func write(_ edit: AudioEdit) {
    if let name = writing?.name {
      model.message = "\(name) is still being written; wait until it is done."
      return
    }
    let file = files[model.index]
    let url = Self.freeName(for: file, edit)
    var effected = edit
    effected.effects = player.effects
    effected.peaks = .limited
    let task = Task { [report, edit = effected] in
      do {
        let rendering = try await file.render(edit, to: url) {
          report.yield(.writing($0.fraction))
        }
        report.yield(.written(.success(rendering)))
      } catch {
        report.yield(.written(.failure(RetrogradeError(error))))
      }
    }
    writing = (task, FilePath(url).name.description)
    showWriting(0)
  }

  /// A file name that's still free in the current folder: "song-reversed-x1.5.wav". If that file
  /// exists, the name ends in a number.
  static func freeName(for file: AudioFile, _ edit: AudioEdit) -> URL {
    let names = (1...).lazy.map { name(for: file, edit, number: $0) }
    let free = names.first { $0.status(followsLinks: false) == nil }
    return (free ?? "retrograde.wav").url
  }

  static func name(for file: AudioFile, _ edit: AudioEdit, number: Int) -> FilePath {
    var name = ""
    if edit.region != nil { name += "-part" }
    if edit.direction == .reverse { name += "-reversed" }
    if edit.pitch.isKept, edit.factor != .one { name += "-pitch-kept" }
    if edit.pitch.semitones != 0 { name += "-semitones\(edit.pitch.semitones.short)" }
    if edit.pitch.semitones != 0, edit.pitch.formants == .keep { name += "-formants-kept" }
    if edit.pitch.formantSemitones != 0 { name += "-formants\(edit.pitch.formantSemitones.short)" }
    if edit.factor != .one { name += "-x\(edit.factor.value.short)" }
    if edit.channels != .all { name += "-\(edit.channels.rawValue)" }
    if name.isEmpty { name = "-copy" }
    return FilePath(file.url).stem + name + (number > 1 ? "-\(number)" : "") + ".wav"
  }

  func showWriting(_ fraction: Double) {
    guard let name = writing?.name, !isQuitting else { return }
    model.message = "Writing \(name): \(Int(saturating: fraction * 100)) %"
  }

  func showWritten(_ result: Result<AudioFile.Rendering, RetrogradeError>) {
    let name = writing?.name ?? ""
    writing = nil
    switch result {
    case .success: model.message = "Wrote \(name)."
    case .failure(let error):
      failures.append(error)
      model.message = error.message
    }
    if isQuitting { ending = .finished }
  }
}
