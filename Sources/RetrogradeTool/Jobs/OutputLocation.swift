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
  /// The names of the new files, as the user would write them. `types` holds the type of each file.
  ///
  /// If we searched folders, their subfolders become part of the names. If files from two folders
  /// would get the same name, we add the names of those folders. With `keepsExtension`, the new
  /// names always have the extensions of the inputs.
  func names(
    for sources: [Source], types: [OutputSettings.FileType], suffix: String,
    keepsExtension: Bool = false
  ) -> [FilePath] {
    switch self {
    case .pipe: return sources.map { _ in Source.pipe }
    case .file(let name): return sources.map { _ in name }
    case .folder(let folder):
      let names = zip(sources, types).map { source, type in
        Self.name(for: source, type, suffix, keepsExtension)
      }
      let short = zip(sources, names).map { $0.folder + $1 }
      let paths = sources.map { source in
        (source.isPiped ? FilePath.current : source.path.folder.resolved).names
      }
      let commonCounts = Dictionary(grouping: short.indices) { short[$0] }
        .mapValues { Self.commonCount($0.map { paths[$0] }) }
      let counts = Dictionary(grouping: short) { $0 }.mapValues(\.count)
      return short.indices.map { index in
        guard counts[short[index], default: 0] > 1 else { return folder + short[index] }
        let common = commonCounts[short[index], default: 0]
        let kept = paths[index].dropFirst(common).reduce("" as FilePath) { $0 + $1 + "/" }
        return folder + kept + names[index]
      }
    }
  }

  /// Keeps the extension of the input if it fits the type.
  private static func name(
    for source: Source, _ type: OutputSettings.FileType, _ suffix: String, _ keepsExtension: Bool
  ) -> FilePath {
    guard !source.isPiped else { return FilePath("stdin-\(suffix).\(type.rawValue)") }
    let own = source.input.fileExtension
    let isOwn = keepsExtension || OutputSettings.FileType(extension: own) == type
    return source.input.stem + "-\(suffix).\(isOwn ? own : type.rawValue)"
  }

  private static func commonCount(_ paths: [[FilePath]]) -> Int {
    guard let first = paths.first else { return 0 }
    return first.indices.first { index in
      paths.contains { $0.count <= index || $0[index] != first[index] }
    } ?? first.count
  }
}
