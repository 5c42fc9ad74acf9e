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
  /// Read a file's information. With `columns`, also read that many peaks.
  case describe(FilePath, label: String, columns: Int?)

  /// If this word comes before the command, the process is a worker. It reads its order from
  /// standard input, and writes replies to standard output, one per line. The end of standard input
  /// means that the parent process has ended, so the worker exits too.
  static let word = "--worker"

  static let own: WorkOrder? = {
    guard CommandLine.arguments.dropFirst().first == word else { return nil }
    guard let line = readLine() else { return nil }
    DispatchQueue.global().async {
      var byte: UInt8 = 0
      while case let count = read(STDIN_FILENO, &byte, 1), count > 0 || count < 0 && errno == EINTR
      {}
      _exit(EXIT_FAILURE)
    }
    return try? WorkReply.decoder().decode(WorkOrder.self, from: Data(line.utf8))
  }()

  var target: FilePath? { if case .render(_, let target, _) = self { target } else { nil } }

  /// The user's time map. Nil if this process isn't a worker.
  static var map: [TimeMap.Point]? {
    if case .render(_, _, let map) = own { map } else { nil }
  }
}

enum WorkReply: Codable, Sendable {
  case progress(AudioFile.Progress)
  case finished(JobResult)
  case described(AudioInformation, peaks: [Float]?)
  case failed(RetrogradeError)

  /// If the parent process has ended, SIGPIPE ends this one.
  func send() {
    guard var line = try? Self.encoder().encode(self) else { return }
    line.append(UInt8(ascii: "\n"))
    Console.output.write(Array(line)[...])
  }
}

// JSON has no infinity, but a clipped sample may be infinitely loud.

extension WorkReply {
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}

extension WorkerProcess {
  /// Reads a file's information. With `columns`, it also reads the largest magnitude in each of
  /// that many parts. Error messages call the file `label`.
  static func describe(
    _ path: FilePath, label: String, columns: Int?
  ) async throws -> (AudioInformation, peaks: [Float]?) {
    let order = WorkOrder.describe(path, label: label, columns: columns)
    let reply = try await reply(to: order, about: label)
    guard case .described(let information, let peaks) = reply else { throw CancellationError() }
    return (information, peaks)
  }
}

extension WorkOrder {
  func describe() async {
    guard case .describe(let path, let label, let columns) = self else { return }
    let file = AudioFile(path.url, label: label)
    do {
      guard let columns else {
        return WorkReply.described(try await file.information(), peaks: nil).send()
      }
      let waveform = try await file.waveform(columns: columns)
      let peaks = waveform.columns.map { max(-$0.lowerBound, $0.upperBound) }
      // now it knows how much there is of a file that's cut off
      WorkReply.described(try await file.information(), peaks: peaks).send()
    } catch {
      WorkReply.failed(RetrogradeError(error)).send()
    }
  }
}
