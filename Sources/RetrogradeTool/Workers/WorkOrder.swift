// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import FoundationEssentials
import Glibc
import Retrograde

/// The work for one process, which handles a single file. A damaged file can make GStreamer crash
/// or hang, so the tool starts itself again for each file, with the same command line.
enum WorkOrder: Codable, Sendable {
  /// Edit a file as the command line says. `target` is the file to write.
  /// The parent process has read the time map, because a pipe can only be read once.
  case render(Job, target: FilePath, map: [TimeMap.Point]?)
  /// Read a file's information. Error messages call the file `label`. With `columns`, also read the
  /// largest magnitude in each of that many parts.
  case describe(FilePath, label: String, columns: Int?)

  /// The name of a process that is a worker. It reads its order from standard input, and writes
  /// replies to standard output, one per line. The end of standard input means that the parent
  /// process has ended or doesn't want the reply any more, so the worker exits.
  static let name = "retrograde-worker"

  static let own: WorkOrder? = {
    guard CommandLine.arguments.first == name else { return nil }
    // if the parent was cancelled or has ended, there's no order
    guard let line = readLine(),
      let order = try? JSONDecoder().decode(WorkOrder.self, from: Data(line.utf8))
    else { _exit(EXIT_FAILURE) }
    DispatchQueue.global().async {
      var byte: UInt8 = 0
      while case let count = read(STDIN_FILENO, &byte, 1), count > 0 || count < 0 && errno == EINTR
      {}
      _exit(EXIT_FAILURE)
    }
    return order
  }()

  var target: FilePath? { if case .render(_, let target, _) = self { target } else { nil } }

  func describe() async {
    guard case .describe(let path, let label, let columns) = self else { return }
    let file = AudioFile(path.url, label: label)
    do {
      var peaks: [Float]?
      if let columns {
        peaks = try await file.waveform(columns: columns).columns
          .map { max(-$0.lowerBound, $0.upperBound) }
      }
      // with the waveform, we also know how much there is of a file that's cut off
      WorkReply.described(try await file.information(), peaks: peaks).send()
    } catch {
      WorkReply.failed(RetrogradeError(error)).send()
    }
  }
}

enum WorkReply: Codable, Sendable {
  case progress(AudioFile.Progress)
  case finished(JobResult)
  case described(AudioInformation, peaks: [Float]?)
  case failed(RetrogradeError)

  func send() {
    guard let line = try? JSONEncoder().encode(self) else { return }
    Console.output.write(Array(line + [UInt8(ascii: "\n")])[...])
  }
}

extension WorkerProcess {
  /// Reads a file's information, see ``WorkOrder/describe(_:label:columns:)``.
  static func describe(
    _ path: FilePath, label: String, columns: Int? = nil
  ) async throws -> (AudioInformation, peaks: [Float]?) {
    let order = WorkOrder.describe(path, label: label, columns: columns)
    let reply = try await reply(to: order, about: label)
    guard case .described(let information, let peaks) = reply else { throw CancellationError() }
    return (information, peaks)
  }
}
