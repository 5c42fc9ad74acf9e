// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

/// A file to read, with the facts that the name of the new one depends on.
struct Source: Sendable, Hashable {
  /// As the user wrote it, or would write it.
  var input: String
  /// The file; for standard input, a temporary one.
  var url: URL
  /// The folders between one that was searched and the file: "Artist/Album/", or empty.
  var folder = ""
  /// The type of a new file that is to be like this one.
  var type: OutputSettings.FileType

  /// The argument for standard input, and for standard output.
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
  /// Type of a new file like this one: by its name, or by its content if the name has none. A file
  /// that cannot be read is refused later, with the reason.
  static func same(as url: URL) async -> OutputSettings.FileType {
    if let type = OutputSettings.FileType(extension: url.pathExtension) { return type }
    let information = try? await AudioFile(url).information()
    return information.map(OutputSettings.FileType.same) ?? .flac
  }
}
