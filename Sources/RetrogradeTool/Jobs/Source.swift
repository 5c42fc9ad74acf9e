// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// An input file, with everything that determines the name of its output file.
struct Source: Sendable, Hashable, Codable {
  /// The name as the user wrote it. For a file that was found in a folder: the name of the folder
  /// as the user wrote it, and the path of the file in it.
  var input: FilePath
  /// The file. For standard input, a temporary copy.
  var path: FilePath
  /// The path from the searched folder to the folder of the file: "Artist/Album/", or empty.
  var folder: FilePath = ""
  /// The type of output file that has the same format as the input.
  var type: OutputSettings.FileType
  /// Why the file cannot be read, if that is known already.
  var fault: RetrogradeError?

  /// The argument that stands for standard input or standard output.
  static let pipe: FilePath = "-"
  var isPiped: Bool { input == Self.pipe }

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
  /// A source with its type, which is determined by the name, or by the content if the name has no
  /// known extension.
  static func examined(
    _ input: FilePath, path: FilePath? = nil, folder: FilePath = ""
  ) async -> Source {
    let known = OutputSettings.FileType(extension: (path ?? input).fileExtension)
    var source = Source(input, path: path, folder: folder, type: known ?? .flac)
    guard known == nil else { return source }
    do {
      let (information, _) = try await WorkerProcess.describe(
        source.path, label: path == nil ? input.description : nil, columns: nil)
      source.type = .same(as: information)
    } catch {
      source.fault = RetrogradeError(error)
    }
    return source
  }
}
