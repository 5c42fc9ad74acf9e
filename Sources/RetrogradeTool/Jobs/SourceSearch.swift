// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

/// Finds the input files: named files, the files in named folders, and standard input.
struct SourceSearch: Sendable {
  enum Folders { case refused, flat, recursive }

  /// What we search in folders.
  var folders = Folders.flat
  /// We copy standard input to this file, so keep it for as long as you use the copy. If it's nil,
  /// we don't read standard input.
  var pipe: TemporaryFile?
  /// The folder for the new files, and the suffix of their names. We skip files there that already
  /// have the suffix, because they come from an earlier call.
  var made: (folder: FilePath, suffix: String)?

  /// The files in the order of the arguments. Inputs that we can't read have a fault.
  func sources(_ inputs: [FilePath]) async -> [Source] {
    var found: [Source] = []
    for input in inputs {
      do throws(RetrogradeError) { found += try await sources(of: input) } catch {
        found.append(Self.fault(input, error))
      }
    }
    return found
  }

  private static func fault(_ input: FilePath, _ error: RetrogradeError) -> Source {
    var source = Source(input)
    source.fault = error
    return source
  }

  private func sources(of input: FilePath) async throws(RetrogradeError) -> [Source] {
    func check(_ isGood: Bool, _ sentence: String) throws(RetrogradeError) {
      if !isGood { throw RetrogradeError.unreadable(sentence) }
    }
    try check(!input.bytes.isEmpty, "The name of an input is empty; name a file.")
    if input == Source.pipe {
      guard let pipe else {
        throw RetrogradeError.unreadable(
          "Standard input is not read by this command; save the sound in a file first.")
      }
      try await pipe.fill(from: STDIN_FILENO)
      return [Source(input, path: pipe.path)]
    }
    let isAddress = input.status() == nil && input.description.contains("://")
    try check(!isAddress, "\(input): URLs are not read; download the file first.")
    // Bash creates one for `<(…)`
    try check(
      !input.isKind(S_IFIFO),
      "\(input): pipes and <(…) are not read by name; save the sound in a file first.")
    guard input.isKind(S_IFDIR) else { return [Source(input)] }
    try check(
      folders != .refused,
      "\(input): this is a folder; add -r (--recursive) for the audio files in it.")
    let files = await files(in: input)
    try check(
      !files.isEmpty, "\(input): there is no audio file in this folder; choose another.")
    return files
  }

  /// The files with sound in a folder, sorted by name. We leave out empty files.
  private func files(in folder: FilePath) async -> [Source] {
    await paths(in: folder.asFolder).concurrentMap { path -> Source in
      let file = folder.appending(path)
      guard !file.endsInSlash else {
        return Self.fault(
          file,
          RetrogradeError.unreadable(
            "\(file): you are not allowed to read this folder; change its permissions."))
      }
      let subfolder = path.names.count > 1 ? path.folder.asFolder : ""
      return await Source(file, folder: subfolder).examined()
    }
    .filter { $0.fault?.code != .inputNotAudio }  // such as a picture
    .sorted { $0.sortKey < $1.sortKey }
  }

  private func isMade(_ file: FilePath) -> Bool {
    guard let made else { return false }
    return file.stem.bytes.reversed().starts(with: made.suffix.utf8.reversed())
      && file.folder.resolved.names.starts(with: made.folder.resolved.names)
  }

  /// Paths of the regular files in a folder. We leave out hidden files, and don't follow links to
  /// folders. A folder that we can't read is among them, and ends in a slash.
  private func paths(in folder: FilePath) -> [FilePath] {
    guard let names = folder.contents else { return [""] }
    return names.flatMap { name -> [FilePath] in
      let path = folder.appending(name)
      if path.isKind(S_IFDIR, followsLinks: false), folders == .recursive {
        return paths(in: path.asFolder).map(name.asFolder.appending)
      }
      let isFile = path.isKind(S_IFREG) && path.status()?.st_size != 0
      return isFile && !isMade(path) ? [name] : []
    }
  }
}
