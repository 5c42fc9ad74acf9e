// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import Glibc
import Retrograde
import Synchronization

/// If a signal ends the process, we cancel the work, or remove its temporary files.
enum Interruption {
  /// The user may have set other signals to be ignored.
  static let caught = Mutex<[Int32]>([])

  /// The first signal cancels the task of `work`, and you get it with the result. A second signal
  /// removes the temporary files and ends the process. We handle signals in a dispatch queue
  /// instead of a signal handler, so we may call any function.
  static func watched<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> (Result, signal: Int32?) {
    let state = Mutex(State())
    var sources: [any DispatchSourceSignal] = []
    let queue = DispatchQueue(label: "retrograde.signals")
    for number in SignalPipe.ending {
      let source = await source(for: number, on: queue) {
        let isFirst = state.withLock { $0.receive(number) }
        if !isFirst { end(by: number, on: queue) }
      }
      guard let source else { continue }
      sources.append(source)
      caught.withLock { $0.append(number) }
    }
    // the work continues even if the reader of standard output exits
    signal(SIGPIPE, SIG_IGN)
    let task = Task { await work() }
    state.withLock { state in
      state.cancel = { task.cancel() }
      if state.received != nil { task.cancel() }
    }
    let result = await task.value
    for source in sources { source.cancel() }
    return (result, state.withLock { $0.received })
  }

  /// Ends the process in a second. In that time, the work can end on its own. It may be waiting for
  /// the reader of standard output.
  private static func end(by number: Int32, on queue: DispatchQueue) {
    queue.asyncAfter(deadline: .now() + 1) {
      TemporaryNames.removeAll { SignalPipe.endProgram(by: number) }
    }
  }

  private struct State {
    var received: Int32?
    var cancel: (@Sendable () -> Void)?

    /// Cancels the work, and returns true for the first signal.
    mutating func receive(_ number: Int32) -> Bool {
      guard received == nil else { return false }
      received = number
      cancel?()
      return true
    }
  }

  /// If the parent process has set the signal to be ignored, as `nohup` does, it's nil.
  private static func source(
    for number: Int32, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
  ) async -> (any DispatchSourceSignal)? {
    var before = sigaction()
    sigaction(number, nil, &before)
    if isIgnored(before) { return nil }
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler(handler: handler)
    await withCheckedContinuation { continuation in
      source.setRegistrationHandler { continuation.resume() }
      source.resume()
    }
    return source
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
