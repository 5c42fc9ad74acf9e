// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

struct Source: Sendable, Hashable, Codable {
  /// The path as the user wrote it. For a file that we found in a folder, that's the folder as the
  /// user wrote it plus the path inside it.
  var input: FilePath
  /// For standard input, the path of a temporary copy.
  var path: FilePath
  /// The path from the searched folder to the folder of the file: "Artist/Album/", or empty.
  var folder: FilePath = ""
  /// The type of output file that has the same format as the input.
  var type: OutputSettings.FileType
  /// Why we can't read the file, if we already know.
  var fault: RetrogradeError?

  /// Stands for standard input or standard output.
  static let pipe: FilePath = "-"
  static let pipeLabel = "standard input"
  var isPiped: Bool { input == Self.pipe }
  /// What error messages call the file.
  var label: String { isPiped ? Self.pipeLabel : input.description }

  init(
    _ input: FilePath, path: FilePath? = nil, folder: FilePath = "", type: OutputSettings.FileType
  ) {
    self.input = input
    self.path = path ?? input
    self.folder = folder
    self.type = type
  }
}

extension Source {
  /// Finds out the type by the extension, or by the content if we don't know the extension.
  static func examined(
    _ input: FilePath, path: FilePath? = nil, folder: FilePath = ""
  ) async -> Source {
    let known = OutputSettings.FileType(extension: (path ?? input).fileExtension)
    var source = Source(input, path: path, folder: folder, type: known ?? .flac)
    guard known == nil else { return source }
    do {
      let (information, _) = try await WorkerProcess.describe(
        source.path, label: source.label, columns: nil)
      source.type = .same(as: information)
    } catch {
      source.fault = RetrogradeError(error)
    }
    return source
  }
}
