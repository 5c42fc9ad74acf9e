// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc
import Retrograde

/// An input file with its information, or with the error if we can't read it.
struct FoundFile: Sendable {
  /// The path as the user wrote it. For a file that we found in a folder, that's the folder as the
  /// user wrote it plus the file name.
  var input: FilePath
  var information: Result<AudioInformation, RetrogradeError>
  /// The largest magnitude of a sample in each of several equal parts of the file, where full scale
  /// is 1. Nil unless requested.
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

  /// Sorts numbers by value, so "track 9" comes before "Track 10".
  private var sortKey: String {
    input.description.lowercased().replacing(/[0-9]+/) {
      String(repeating: "0", count: max(20 - $0.output.count, 0)) + $0.output
    }
  }

  /// With `columns`, this also reads that many peaks, which means decoding the whole file.
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

  /// Sorted by name. We leave out empty files, and files without sound unless their extensions
  /// suggest otherwise.
  static func list(
    _ folder: FilePath, columns: Int? = nil
  ) async throws(RetrogradeError) -> [FoundFile] {
    guard let names = folder.contents else {
      throw RetrogradeError.unreadable(
        "\(folder): you are not allowed to read this folder; change its permissions.")
    }
    let inputs = names.map(folder.appending).filter(mayHoldSound)
    let cores = ProcessInfo.processInfo.activeProcessorCount
    return await inputs.concurrentMap(limit: cores) { await read($0, columns: columns) }
      .filter { file in
        guard file.fault?.code == .inputNotAudio else { return true }
        return OutputSettings.FileType(extension: file.input.fileExtension) != nil
      }
      .sorted { $0.sortKey < $1.sortKey }
  }

  private static func mayHoldSound(_ file: FilePath) -> Bool {
    file.isKind(S_IFREG) && file.status()?.st_size != 0
  }
}

extension FoundFile {
  var json: String {
    let known = try? information.get()
    return JSONReport.text([
      "input": input.description, "duration": known?.duration?.inSeconds, "rate": known?.rate,
      "channels": known?.channels, "layout": known?.layout, "sampleFormat": known?.sampleFormat,
      "lossy": known?.isLossy, "container": known?.container, "codec": known?.codec,
      "bitRate": known?.bitRate, "extras": known?.extras, "tags": known?.tags.values,
      "peaks": peaks, "code": fault?.code, "message": fault?.message,
    ])
  }
}
