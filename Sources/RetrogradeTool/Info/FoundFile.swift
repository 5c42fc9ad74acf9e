// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Retrograde

/// An input file, with its information. If we can't read it, it has the error instead.
struct FoundFile: Sendable {
  /// As the user wrote it. If we found the file in a folder, it's the folder as the user wrote it,
  /// and the name of the file in it.
  var input: FilePath
  var information: Result<AudioInformation, RetrogradeError>
  /// The largest magnitude of a sample in each of several equal parts of the file, where full scale
  /// is 1. Without a request, it's nil.
  var peaks: [Float]?

  var isReadable: Bool { (try? information.get()) != nil }
  var fault: RetrogradeError? {
    switch information {
    case .failure(let error): error
    case .success(let information):
      information.missing.map {
        RetrogradeError(.inputDamaged, "\(input): \($0); download or copy it again.")
      }
    }
  }

  /// We compare numbers by their value, so "track 9" comes before "Track 10".
  private var sortKey: String {
    input.description.lowercased().replacing(/[0-9]+/) {
      String(repeating: "0", count: max(20 - $0.output.count, 0)) + $0.output
    }
  }

  /// With `columns`, we also read that number of peaks, and decode the whole file for them.
  static func read(_ input: FilePath, columns: Int? = nil) async -> FoundFile {
    do {
      let kind = SourceSearch.Kind(of: input)
      if let refusal = kind.refusal(of: input, readsPipe: false) { throw refusal }
      let (information, peaks) = try await WorkerProcess.describe(
        input, label: input.description, columns: columns)
      return FoundFile(input: input, information: .success(information), peaks: peaks)
    } catch {
      return FoundFile(input: input, information: .failure(RetrogradeError(error)))
    }
  }

  static func nothing(in folder: FilePath) -> String {
    "\(folder): there is no audio file in this folder; folders in it are not searched."
  }

  /// They're sorted by name. We leave out empty files, and files without sound unless their names
  /// promise some.
  static func list(
    _ folder: FilePath, columns: Int? = nil
  ) async throws(RetrogradeError) -> [FoundFile] {
    guard let names = folder.contents else {
      throw RetrogradeError(
        .inputUnreadable,
        "\(folder): you are not allowed to read this folder; change its permissions.")
    }
    let inputs = names.map(folder.appending).filter(mayHoldSound)
    return await read(inputs, columns: columns).filter { file in
      guard file.fault?.code == .inputNotAudio else { return true }
      return OutputSettings.FileType(extension: file.input.fileExtension) != nil
    }
  }

  private static func mayHoldSound(_ file: FilePath) -> Bool {
    file.isKind(S_IFREG) && file.status()?.st_size != 0
  }

  private static func read(_ inputs: [FilePath], columns: Int?) async -> [FoundFile] {
    await withTaskGroup(of: FoundFile.self) { group in
      var waiting = inputs[...]
      var files: [FoundFile] = []
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
        if let input = waiting.popFirst() { group.addTask { await read(input, columns: columns) } }
      }
      for await file in group {
        files.append(file)
        if let input = waiting.popFirst() { group.addTask { await read(input, columns: columns) } }
      }
      return files.sorted { $0.sortKey < $1.sortKey }
    }
  }
}
