// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import FoundationEssentials
import Glibc
import Retrograde

/// A process that runs this tool again for a single file.
struct WorkerProcess: Sendable {
  private let order: WorkOrder
  /// What error messages call the file.
  private let name: String
  private let id: pid_t
  /// The process's standard input and output.
  private let socket: Int32

  /// Gives the order to a new process and returns its last reply. Throws the error that the process
  /// reports, an error about `name` if it ends without a reply, or `CancellationError` if the task
  /// is cancelled.
  static func reply(
    to order: WorkOrder, about name: String,
    _ report: @escaping @Sendable (AudioFile.Progress) -> Void = { _ in }
  ) async throws -> WorkReply {
    try Task.checkCancellation()
    let process = try WorkerProcess(order, name)
    defer { close(process.socket) }
    let (reply, status) = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: process.run(report)) }
      }
    } onCancel: {
      shutdown(process.socket, Int32(clamping: SHUT_WR))
    }
    if case .failed(let error) = reply { throw error }
    if let reply { return reply }
    try Task.checkCancellation()
    throw RetrogradeError(.inputDamaged, "\(name): \(explanation(of: status))")
  }

  private static func explanation(of status: Int32) -> String {
    let signal = status & 0x7f
    if signal == SIGKILL {
      return "its process was killed, perhaps because memory ran out; close other programs, and "
        + "try again with -j 1."
    }
    let reason = signal == 0 ? "status \(status >> 8)" : String(cString: strsignal(signal))
    return "it made GStreamer crash (\(reason)); convert it into another type first."
  }

  private func run(
    _ report: (AudioFile.Progress) -> Void
  ) -> (WorkReply?, status: Int32) {
    if let line = try? JSONEncoder().encode(order) {
      Console(descriptor: socket).write(Array(line + [UInt8(ascii: "\n")])[...])
    }
    let reply = lastReply(report)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    if reply == nil, let target = order.target {
      TemporaryNames.removeParts(of: id, in: target.folder)
      TemporaryNames.removeParts(of: id, in: FilePath.temporaryFolder)
    }
    return (reply, status)
  }

  private func lastReply(_ report: (AudioFile.Progress) -> Void) -> WorkReply? {
    var last: WorkReply?
    var rest: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(socket, &block, block.count),
      count > 0 || count < 0 && errno == EINTR
    {
      rest += block[..<max(count, 0)]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let reply = try? JSONDecoder().decode(WorkReply.self, from: Data(rest[..<end]))
        if case .progress(let progress) = reply { report(progress) } else { last = reply }
        rest.removeFirst(end + 1)
      }
    }
    return last
  }
}

// MARK: - Starting

extension WorkerProcess {
  /// Starts this program with the same command line, as a worker.
  private init(_ order: WorkOrder, _ name: String) throws(RetrogradeError) {
    func check(_ number: Int32) throws(RetrogradeError) {
      guard number != 0 else { return }
      let reason = "no process can be started for it (\(String(cString: strerror(number)))); "
      throw RetrogradeError.unreadable(
        "\(name): "
          + (OpenFiles.isLimit(number) ? OpenFiles.advice : reason + "close other programs."))
    }
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    let kind = Int32(clamping: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try check(socketpair(AF_UNIX, kind, 0, &ends) == 0 ? 0 : errno)
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
      posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
    }
    let words = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(clamping: CommandLine.argc))
    var workerWords = [strdup(WorkOrder.name)] + words.dropFirst() + [nil]
    defer { free(workerWords[0]) }
    var id: pid_t = 0
    let failure = posix_spawn(&id, "/proc/self/exe", &actions, nil, &workerWords, environ)
    if failure != 0 { close(ends[0]) }
    try check(failure)
    (self.order, self.name, self.id, socket) = (order, name, id, ends[0])
  }
}
