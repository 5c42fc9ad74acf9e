// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

/// Finds the input files: named files, the files in named folders, and standard input.
struct SourceSearch: Sendable {
  var isRecursive = false
  /// The folder for the new files, and the suffix of their names. We skip files there that already
  /// have the suffix, because they come from an earlier call.
  var (output, suffix): (FilePath, String) = (".", "-reversed")

  /// The files in the order of the arguments, and why we couldn't search some subfolders.
  typealias Found = (sources: [Source], refusals: [Refusal])

  /// We copy standard input to `pipe`, so keep it for as long as you use the copy.
  func sources(_ inputs: [FilePath], pipe: TemporaryFile) async throws(Refusal) -> Found {
    var found: Found = ([], [])
    for input in inputs {
      let kind = Kind(of: input)
      if let refusal = kind.refusal(of: input, readsPipe: true) {
        throw Refusal(input, refusal)
      }
      switch kind {
      case .folder:
        let inside = try await files(in: input)
        found.sources += inside.sources
        found.refusals += inside.refusals
      case .pipe:
        do throws(RetrogradeError) { try await pipe.fill(from: STDIN_FILENO) } catch {
          throw Refusal(input, error)
        }
        found.sources.append(await .examined(input, path: pipe.path))
      default:
        found.sources.append(await .examined(input))
      }
    }
    return found
  }

  private func files(in folder: FilePath) async throws(Refusal) -> Found {
    guard isRecursive else {
      let sentence = "\(folder): this is a folder; add -r (--recursive) for the audio files in it."
      throw Refusal(folder, RetrogradeError.unreadable(sentence))
    }
    var found: Found = ([], [])
    for path in Self.paths(in: folder.asFolder, &found.refusals) {
      if Task.isCancelled { throw Refusal(folder, RetrogradeError(CancellationError())) }
      let file = folder.appending(path)
      if isMade(file) { continue }
      let subfolder = path.names.count > 1 ? path.folder.asFolder : ""
      let source = await Source.examined(file, folder: subfolder)
      // such as a picture
      if source.fault?.code == .inputNotAudio { continue }
      found.sources.append(source)
    }
    guard !found.sources.isEmpty else {
      let sentence = "\(folder): there is no audio file in this folder; choose another."
      throw found.refusals.first ?? Refusal(folder, RetrogradeError.unreadable(sentence))
    }
    return found
  }

  private func isMade(_ file: FilePath) -> Bool {
    file.stem.bytes.reversed().starts(with: suffix.utf8.reversed())
      && file.folder.resolved.names.starts(with: output.resolved.names)
  }

  /// Paths of the regular files in a folder and its subfolders, sorted. We leave out hidden files,
  /// and don't follow links to folders. Folders that we can't read are added to `refusals`.
  private static func paths(
    in folder: FilePath, _ refusals: inout [Refusal]
  ) -> [FilePath] {
    guard let names = folder.contents else {
      let sentence = "\(folder): you are not allowed to read this folder; change its permissions."
      refusals.append(Refusal(folder, RetrogradeError.unreadable(sentence)))
      return []
    }
    var paths: [FilePath] = []
    for name in names where !Task.isCancelled {
      let path = folder.appending(name)
      if path.isKind(S_IFDIR, followsLinks: false) {
        paths += Self.paths(in: path.asFolder, &refusals).map(name.appending)
      } else if path.isKind(S_IFREG) {
        paths.append(name)
      }
    }
    return paths
  }
}
