// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Retrograde

struct PlayList {
  /// Holds a copy of standard input. Keep it for as long as you play the copy.
  let pipe: TemporaryFile

  /// A folder stands for the audio files in it, but not for those in its subfolders.
  func tracks(_ inputs: [FilePath]) async throws(RetrogradeError) -> [AudioFile] {
    var tracks: [AudioFile] = []
    var readsPipe = true
    for input in inputs {
      let kind = SourceSearch.Kind(of: input)
      // don't suggest piping a URL, because the command that we'd suggest writes a file
      if let refusal = kind.refusal(of: input, readsPipe: kind != .address) { throw refusal }
      switch kind {
      case .folder: tracks += try await files(in: input)
      case .pipe:
        guard readsPipe else {
          throw RetrogradeError.invalid("Standard input can be read only once; name - once.")
        }
        readsPipe = false
        guard isatty(STDIN_FILENO) == 0 else {
          throw RetrogradeError.invalid(
            "Standard input is a terminal; pipe the sound in: … | retrograde play -.")
        }
        try await pipe.fill(from: STDIN_FILENO)
        tracks.append(AudioFile(pipe.path.url, label: "standard input"))
      default: tracks.append(AudioFile(input.url, label: input.description))
      }
    }
    return tracks
  }

  private func files(in folder: FilePath) async throws(RetrogradeError) -> [AudioFile] {
    let found = try await FoundFile.list(folder)
    guard found.contains(where: \.isReadable) else {
      throw RetrogradeError.unreadable(FoundFile.nothing(in: folder))
    }
    return found.map { AudioFile($0.input.url, label: $0.input.description) }
  }
}
