// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

struct Source: Sendable, Hashable, Codable {
  /// As the user wrote it. If we found the file in a folder, it's the folder as the user wrote it,
  /// and the path of the file in it.
  var input: FilePath
  /// For standard input, it's a temporary copy.
  var path: FilePath
  /// The path from the searched folder to the folder of the file: "Artist/Album/", or empty.
  var folder: FilePath = ""
  /// The type of output file that has the same format as the input.
  var type: OutputSettings.FileType
  /// Why we can't read the file, if we know that already.
  var fault: RetrogradeError?

  /// It stands for standard input or standard output.
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
  /// The name determines the type. If it has no known extension, the content does.
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
