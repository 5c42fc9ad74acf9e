// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Retrograde

extension WorkerProcess {
  /// Reads the information of a file and, if `columns` is not nil, the largest magnitude in each of
  /// so many parts. Error messages call the file `label` or, if it is nil, by its own name.
  static func describe(
    _ url: URL, label: String?, columns: Int?
  ) async throws -> (AudioInformation, peaks: [Float]?) {
    let order = WorkOrder.describe(url, label: label, columns: columns)
    let reply = try await reply(to: order, about: label ?? url.lastPathComponent)
    guard case .described(let information, let peaks) = reply else { throw CancellationError() }
    return (information, peaks)
  }
}

extension WorkOrder {
  /// Does the work of a worker, and sends its reply.
  func describe() async {
    guard case .describe(let url, let label, let columns) = self else { return }
    let file = label.map { AudioFile(url, label: $0) } ?? AudioFile(url)
    do {
      let information = try await file.information()
      guard let columns else {
        return WorkReply.described(information, peaks: nil).send()
      }
      let waveform = try await file.waveform(columns: columns).finish()
      let peaks = waveform.columns.map { max(-$0.lowerBound, $0.upperBound) }
      WorkReply.described(information, peaks: peaks).send()
    } catch {
      WorkReply(error).send()
    }
  }
}
