// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension WorkerProcess {
  /// Reads a file's information. With `columns`, it also reads the largest magnitude in each of
  /// that many parts. Error messages call the file `label`, or use its own name if that's nil.
  static func describe(
    _ path: FilePath, label: String?, columns: Int?
  ) async throws -> (AudioInformation, peaks: [Float]?) {
    let order = WorkOrder.describe(path, label: label, columns: columns)
    let reply = try await reply(to: order, about: label ?? path.description)
    guard case .described(let information, let peaks) = reply else { throw CancellationError() }
    return (information, peaks)
  }
}

extension WorkOrder {
  func describe() async {
    guard case .describe(let path, let label, let columns) = self else { return }
    let file = label.map { AudioFile(path.url, label: $0) } ?? AudioFile(path.url)
    do {
      guard let columns else {
        return WorkReply.described(try await file.information(), peaks: nil).send()
      }
      let waveform = try await file.waveform(columns: columns)
      let peaks = waveform.columns.map { max(-$0.lowerBound, $0.upperBound) }
      // now it knows how much there is of a file that's cut off
      WorkReply.described(try await file.information(), peaks: peaks).send()
    } catch {
      WorkReply(error).send()
    }
  }
}
