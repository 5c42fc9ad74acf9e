// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

// Writes a new file with the player's current settings in the background.

extension PlaySession {
  /// The first call says where the file would go, and the next one writes it.
  func write(_ edit: AudioEdit) async {
    if let name = writing?.name {
      model.message = "\(name) is still being written; wait until it is done."
      return
    }
    guard let information = await player.information else { return }
    let file = files[model.index]
    let known = OutputSettings.FileType(extension: FilePath(file.url).fileExtension)
    let type = known ?? .same(as: information)
    guard let path = offered else {
      let path = Self.freeName(for: file, type)
      offered = path
      model.message = "Press w again to write \(path), into \(FilePath(".").resolved)."
      return
    }
    offered = nil
    var effected = edit
    effected.effects = player.effects
    effected.peaks = .limited
    let settings = OutputSettings(type: type).completed(
      by: information, extension: path.fileExtension, channels: edit.channels)
    let task = Task { [report, edit = effected] in
      do {
        let rendering = try await file.render(edit, to: path.url, settings: settings) {
          report.yield(.writing($0.fraction))
        }
        report.yield(.written(.success(rendering)))
      } catch {
        report.yield(.written(.failure(RetrogradeError(error))))
      }
    }
    writing = (task, path.description)
    showWriting(0)
  }

  /// A file name that's still free in the current folder: "song-played.flac", "song-played-2.flac".
  static func freeName(for file: AudioFile, _ type: OutputSettings.FileType) -> FilePath {
    let names = (1...).lazy.map { number in
      FilePath(file.url).stem + "-played\(number > 1 ? "-\(number)" : "").\(type.rawValue)"
    }
    return names.first { $0.status(followsLinks: false) == nil } ?? "retrograde"
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
