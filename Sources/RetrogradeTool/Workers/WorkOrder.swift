// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import FoundationEssentials
import Glibc
import Retrograde

/// The work of one process: one file. The tool starts itself for each file with the same command
/// line, because a damaged file can make GStreamer crash or never end.
enum WorkOrder: Codable, Sendable {
  /// Edit a file as the command line says, with so many decoders. `target` is the file to write.
  /// The time map was read by the process that gives the order, since a pipe can be read only once.
  case render(Job, target: FilePath, decoders: Int, map: [TimeMap.Point]?)
  /// Read the information of a file and, if `columns` is not nil, that number of peaks.
  case describe(FilePath, label: String?, columns: Int?)

  /// The word before the command that makes a process a worker. The order comes from standard
  /// input, and replies go to standard output, one per line. If standard input ends, so has the
  /// process that gave the order, and the worker ends as well.
  static let word = "--worker"

  /// The order for this process, or nil if it is no worker.
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

  /// The file that is written, or nil if none is.
  var target: FilePath? { if case .render(_, let target, _, _) = self { target } else { nil } }

  /// The time map of the user, or nil if this process is no worker.
  static var map: [TimeMap.Point]? {
    if case .render(_, _, _, let map) = own { map } else { nil }
  }
}

/// What a worker says.
enum WorkReply: Codable, Sendable {
  case progress(JobProgress)
  case finished(JobResult)
  case described(AudioInformation, peaks: [Float]?)
  case failed(RetrogradeError.Code, String)

  init(_ error: any Error) {
    let error = RetrogradeError(error)
    self = .failed(error.code, error.message)
  }

  /// Sends the reply from a worker. If the process that gave the order has ended, the process ends
  /// by SIGPIPE.
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
