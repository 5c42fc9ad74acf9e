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
  var folder: FilePath
  /// The type of output file that has the same format as the input. Nil until we know.
  var type: OutputSettings.FileType?
  /// Why we can't read the file, if we already know.
  var fault: RetrogradeError?

  /// Stands for standard input or standard output.
  static let pipe: FilePath = "-"
  var isPiped: Bool { input == Self.pipe }
  /// What error messages call the file.
  var label: String { isPiped ? "standard input" : input.description }
  /// Its error messages use the name that the user gave.
  var file: AudioFile { AudioFile(path.url, label: label) }

  init(_ input: FilePath, path: FilePath? = nil, folder: FilePath = "") {
    (self.input, self.path, self.folder) = (input, path ?? input, folder)
    type = OutputSettings.FileType(extension: self.path.fileExtension)
  }

  /// Finds out the type by the content if we don't know the extension.
  func examined() async -> Source {
    var source = self
    guard type == nil, fault == nil else { return source }
    do {
      source.type = .same(as: try await WorkerProcess.describe(path, label: label).0)
    } catch {
      source.fault = RetrogradeError(error)
    }
    return source
  }

  /// Sorts numbers by value, so "track 9" comes before "Track 10".
  var sortKey: String {
    input.description.lowercased().replacing(/[0-9]+/) {
      String(repeating: "0", count: max(20 - $0.output.count, 0)) + $0.output
    }
  }
}
