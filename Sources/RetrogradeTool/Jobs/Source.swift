// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

/// A file to read, with everything that determines the name of the new file.
struct Source: Sendable, Hashable {
  /// The name as the user wrote it, or would write it.
  var input: String
  /// The file; for standard input, a temporary one.
  var url: URL
  /// The folders between the searched folder and the file: "Artist/Album/", or empty.
  var folder = ""
  /// The type of a new file with the same format.
  var type: OutputSettings.FileType

  /// The argument that stands for standard input or standard output.
  static let pipe = "-"
  var isPiped: Bool { input == Self.pipe }

  init(_ input: String, url: URL? = nil, folder: String = "", type: OutputSettings.FileType) {
    self.input = input
    self.url = url ?? URL(fileURLWithPath: input)
    self.folder = folder
    self.type = type
  }
}

extension OutputSettings.FileType {
  /// The type of a new file with the same format, determined by the name, or by the content if the
  /// name has no extension. If the file cannot be read, a later step reports this.
  static func same(as url: URL) async -> OutputSettings.FileType {
    if let type = OutputSettings.FileType(extension: url.pathExtension) { return type }
    let information = try? await AudioFile(url).information()
    return information.map(OutputSettings.FileType.same) ?? .flac
  }
}
