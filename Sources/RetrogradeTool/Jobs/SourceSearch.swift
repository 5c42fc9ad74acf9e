// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Retrograde

/// Makes files of what the user names: files, folders of them, standard input.
struct SourceSearch: Sendable {
  /// Whether folders are searched.
  var isRecursive = false

  /// In the order in which they are named. `pipe` is filled with standard input where that is
  /// named, and has to live as long as its source is used.
  func sources(
    _ inputs: [String], pipe: TemporaryFile
  ) async throws(RetrogradeError) -> [Source] {
    var sources: [Source] = []
    for input in inputs {
      switch try Self.kind(of: input) {
      case .pipe:
        guard !sources.contains(where: \.isPiped) else {
          throw RetrogradeError(
            .invalidArgument, "Standard input can be read once; name - a single time.")
        }
        try await pipe.fill(from: STDIN_FILENO)
        sources.append(Source(input, url: pipe.url, type: await .same(as: pipe.url)))
      case .folder:
        sources += try await files(in: input)
      case .file:
        let url = URL(fileURLWithPath: input)
        sources.append(Source(input, url: url, type: await .same(as: url)))
      }
    }
    return sources
  }

  /// What an input is by its name and its kind; a missing file counts as a file.
  enum Kind: Equatable { case file, folder, pipe }

  /// Throws where it is something that cannot be read by name.
  static func kind(of input: String) throws(RetrogradeError) -> Kind {
    if input == Source.pipe { return .pipe }
    var status = stat()
    guard stat(input, &status) == 0 else {
      guard input.contains("://") else { return .file }
      throw RetrogradeError(
        .inputUnreadable,
        "\(input): addresses are not read; download the file first, or pipe it: "
          + "curl -L … | retrograde reverse - -o new.flac.")
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFIFO, S_IFSOCK:
      throw RetrogradeError(
        .inputUnreadable,
        "\(input): pipes and <(…) are not read by name; send the sound into standard input, "
          + "which is named -.")
    default: return .file
    }
  }

  private func files(in folder: String) async throws(RetrogradeError) -> [Source] {
    guard isRecursive else {
      throw RetrogradeError(
        .inputUnreadable,
        "\(folder): this is a folder; add -r (--recursive) for the audio files in it.")
    }
    let place = folder.hasSuffix("/") ? folder : folder + "/"
    var sources: [Source] = []
    for path in try Self.paths(in: place) {
      let url = URL(fileURLWithPath: place + path)
      let name = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      guard let type = await Self.type(ofFound: url) else { continue }
      sources.append(Source(place + path, url: url, folder: String(name), type: type))
    }
    guard !sources.isEmpty else {
      throw RetrogradeError(
        .inputUnreadable, "\(folder): there is no audio file in this folder; choose another.")
    }
    return sources
  }

  /// nil for a file that is found beside the sounds, such as a picture.
  private static func type(ofFound url: URL) async -> OutputSettings.FileType? {
    if let type = OutputSettings.FileType(extension: url.pathExtension) { return type }
    guard let information = try? await AudioFile(url).information() else { return nil }
    return .same(as: information)
  }

  /// Those of ordinary files in a folder and below it, in order; hidden ones are left out, and
  /// links to folders are not followed.
  private static func paths(in folder: String) throws(RetrogradeError) -> [String] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw RetrogradeError(
        .inputUnreadable, "\(folder): you may not read this folder; change its permissions.")
    }
    var paths: [String] = []
    for name in names.sorted() where !name.hasPrefix(".") {
      var status = stat()
      guard lstat(folder + name, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        paths += try Self.paths(in: folder + name + "/").map { "\(name)/\($0)" }
      } else if stat(folder + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        paths.append(name)
      }
    }
    return paths
  }
}
