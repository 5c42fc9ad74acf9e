// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// An input file, with everything that determines the name of its output file.
struct Source: Sendable, Hashable, Codable {
  /// The name as the user wrote it. For a file that was found in a folder: the name of the folder
  /// as the user wrote it, and the path of the file in it.
  var input: FilePath
  /// The file; for standard input, a temporary copy.
  var path: FilePath
  /// The path from the searched folder to the folder of the file: "Artist/Album/", or empty.
  var folder: FilePath = ""
  /// The type of output file that has the same format as the input.
  var type: OutputSettings.FileType

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

extension OutputSettings.FileType {
  /// The type of output file that has the same format as the file at `path`. It is determined by the
  /// name, or by the content if the name has no known extension. If the file cannot be read, the
  /// type is FLAC, and a later step reports the error.
  static func same(as path: FilePath) async -> OutputSettings.FileType {
    if let type = OutputSettings.FileType(extension: path.fileExtension) { return type }
    let found = try? await WorkerProcess.describe(path, label: nil, columns: nil)
    return found.map { .same(as: $0.0) } ?? .flac
  }
}
