// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import FoundationEssentials
import Glibc
import Retrograde
import Synchronization

/// A process that runs this tool again for a single file.
final class WorkerProcess: Sendable {
  private struct State {
    /// Nil before the process starts, and after we've waited for it.
    var id: pid_t?
    var isCancelled = false
  }

  private let order: WorkOrder
  private let name: String
  private let state = Mutex(State())

  private init(_ order: WorkOrder, _ name: String) { (self.order, self.name) = (order, name) }

  /// Gives the order to a new process and returns its last reply. Throws the error that the process
  /// reports, an error about `name` if it ends without a reply, or `CancellationError` if the task
  /// is cancelled.
  static func reply(
    to order: WorkOrder, about name: String,
    _ report: @escaping @Sendable (AudioFile.Progress) -> Void = { _ in }
  ) async throws -> WorkReply {
    let process = WorkerProcess(order, name)
    let (reply, status) = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try process.run(report) })
        }
      }
    } onCancel: {
      process.kill()
    }
    if case .failed(let error) = reply { throw error }
    if let reply { return reply }
    try Task.checkCancellation()
    throw process.error(.inputDamaged, explanation(of: status))
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
  ) throws -> (WorkReply?, status: Int32) {
    let (id, input, output) = try start()
    let line = Array(try WorkReply.encoder().encode(order)) + [UInt8(ascii: "\n")]
    Console(descriptor: input).write(line[...])
    let reply = lastReply(from: output, report)
    close(output)
    close(input)
    let status = wait(for: id)
    if reply == nil, let target = order.target {
      TemporaryNames.removeParts(of: id, in: target.folder)
      TemporaryNames.removeParts(of: id, in: FilePath.temporaryFolder)
    }
    return (reply, status)
  }

  private func lastReply(from descriptor: Int32, _ report: (AudioFile.Progress) -> Void)
    -> WorkReply?
  {
    var last: WorkReply?
    var rest: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(descriptor, &block, block.count),
      count > 0 || count < 0 && errno == EINTR
    {
      rest += block[..<max(count, 0)]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let reply = try? WorkReply.decoder().decode(WorkReply.self, from: Data(rest[..<end]))
        if case .progress(let progress) = reply { report(progress) } else { last = reply }
        rest.removeFirst(end + 1)
      }
    }
    return last
  }

  private func wait(for id: pid_t) -> Int32 {
    var information = siginfo_t()
    // the id stays valid until we wait for the process again, so kill() can't hit another one
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return state.withLock { state in
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      state.id = nil
      return status
    }
  }

  /// Leaves the cleaning up to ``run(_:)``.
  private func kill() {
    state.withLock { state in
      state.isCancelled = true
      if let id = state.id { Glibc.kill(id, SIGKILL) }
    }
  }
}

// MARK: - Starting

extension WorkerProcess {
  /// Held while there are pipe ends that another new process would inherit.
  private static let starting = Mutex(())

  /// Returns the process id, a descriptor for writing to its standard input, and one for reading
  /// its standard output.
  private func start() throws -> (pid_t, input: Int32, output: Int32) {
    signal(SIGPIPE, SIG_IGN)
    return try Self.starting.withLock { _ in
      let (input, output) = (try pipe(), try pipe())
      defer {
        close(input.readEnd)
        close(output.writeEnd)
      }
      let id = try state.withLock { state in
        if state.isCancelled { throw CancellationError() }
        let id = try start(input: input.readEnd, output: output.writeEnd)
        state.id = id
        return id
      }
      return (id, input.writeEnd, output.readEnd)
    }
  }

  /// Its ends are close-on-exec.
  private func pipe() throws -> (readEnd: Int32, writeEnd: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw unstartable(errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private func unstartable(_ number: Int32) -> RetrogradeError {
    let reason = String(cString: strerror(number))
    return error(
      .inputUnreadable,
      OpenFiles.isLimit(number)
        ? OpenFiles.advice
        : "no process can be started for it (\(reason)); close other programs.")
  }

  private func error(_ code: RetrogradeError.Code, _ what: String) -> RetrogradeError {
    RetrogradeError(code, "\(name): \(what)")
  }

  /// Starts this program with the same command line, as a worker. SIGPIPE, which this process
  /// ignores, ends the worker. Unless you ask for GStreamer's debug output, we discard what
  /// libraries write to standard error.
  private func start(input: Int32, output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    if getenv("GST_DEBUG") == nil {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(clamping: POSIX_SPAWN_SETSIGDEF))
    var words = Self.commandLine
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let failure = posix_spawn(&id, "/proc/self/exe", &actions, &attributes, &words, environ)
    guard failure == 0 else { throw unstartable(failure) }
    return id
  }

  /// This command line with `--worker` added, as C strings. The array ends with nil, and you have
  /// to free the strings.
  private static var commandLine: [UnsafeMutablePointer<CChar>?] {
    var words = (0..<Int(clamping: CommandLine.argc)).map { index in
      CommandLine.unsafeArgv[index].flatMap { strdup($0) }
    }
    words.insert(strdup(WorkOrder.word), at: min(1, words.count))
    return words + [nil]
  }
}
