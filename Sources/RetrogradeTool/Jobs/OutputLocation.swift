// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

/// Where the new files go: the value of `--output`.
enum OutputLocation: Equatable {
  case pipe
  case file(FilePath)
  /// The folder needn't exist yet. Its name ends in "/", or is empty for the current folder.
  case folder(FilePath)

  /// Works out the location from the value of `--output`. `isMany` means that there are several
  /// inputs, or a folder of them.
  init(_ output: FilePath?, isMany: Bool) throws(RetrogradeError) {
    guard let output else {
      self = .folder("")
      return
    }
    guard !output.bytes.isEmpty else {
      throw RetrogradeError.invalid("The name of the output is empty; name a file, or a folder.")
    }
    if output == Source.pipe {
      guard !isMany else {
        throw RetrogradeError.invalid(
          "Standard output can take only one file; name a folder for several.")
      }
      self = .pipe
      return
    }
    let isFile = OutputSettings.FileType(extension: output.fileExtension) != nil
    if output.endsInSlash || output.isKind(S_IFDIR) {
      self = .folder(output.asFolder)
    } else if !isMany {
      self = .file(output)
    } else if output.status() != nil || isFile {
      throw RetrogradeError.invalid(
        "\(output): this is the name of one file; name a folder for several.")
    } else {
      self = .folder(output.asFolder)
    }
  }
}

extension OutputLocation {
  /// The name of the new file, as the user would write it.
  ///
  /// If we searched folders, their subfolders become part of the name. It keeps the extension of the
  /// input if that fits the type, or with `keepsExtension`.
  func name(
    for source: Source, _ type: OutputSettings.FileType, suffix: String, keepsExtension: Bool
  ) -> FilePath {
    switch self {
    case .pipe: return Source.pipe
    case .file(let name): return name
    case .folder(let folder):
      let own = source.input.fileExtension
      let isOwn = keepsExtension || OutputSettings.FileType(extension: own) == type
      let stem = source.isPiped ? "stdin" : source.input.stem
      return folder + source.folder + stem + "-\(suffix).\(isOwn ? own : type.rawValue)"
    }
  }
}
