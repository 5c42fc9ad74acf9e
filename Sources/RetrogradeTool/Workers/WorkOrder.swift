// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import FoundationEssentials
import Glibc
import Retrograde

/// The work of one process: one file. A damaged file can make GStreamer crash or never end, so the
/// tool starts itself for each file with the same command line.
enum WorkOrder: Codable, Sendable {
  /// Edit a file as the command line says, with so many decoders. `target` is the file to write.
  /// You can read a pipe only once, so the process that gives the order has read the time map.
  case render(Job, target: FilePath, decoders: Int, map: [TimeMap.Point]?)
  /// Read the information of a file. With `columns`, also read that number of peaks.
  case describe(FilePath, label: String?, columns: Int?)

  /// This word before the command makes a process a worker. The order comes from standard input,
  /// and replies go to standard output, one per line. If standard input ends, so has the process
  /// that gave the order, and the worker ends as well.
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
    return try? decoder().decode(WorkOrder.self, from: Data(line.utf8))
  }()

  var target: FilePath? { if case .render(_, let target, _, _) = self { target } else { nil } }

  /// The user's time map. If this process is no worker, it's nil.
  static var map: [TimeMap.Point]? {
    if case .render(_, _, _, let map) = own { map } else { nil }
  }
}

enum WorkReply: Codable, Sendable {
  case progress(JobProgress)
  case finished(JobResult)
  case described(AudioInformation, peaks: [Float]?)
  case failed(RetrogradeError.Code, String)

  init(_ error: any Error) {
    let error = RetrogradeError(error)
    self = .failed(error.code, error.message)
  }

  /// If the process that gave the order has ended, SIGPIPE ends this one.
  func send() {
    guard var line = try? Self.encoder().encode(self) else { return }
    line.append(UInt8(ascii: "\n"))
    Console.output.write(Array(line)[...])
  }
}

// JSON has no infinity, which the difference of two files may be.

extension WorkReply {
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }
}

extension WorkOrder {
  static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}
