// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Dispatch
import Glibc
import Retrograde
import Synchronization

enum TerminalEvent: Equatable, Sendable {
  case key(Key)
  case signal(Int32)
  /// No more keys can arrive.
  case closed
}

final class TerminalInput: Sendable {
  let events: AsyncStream<TerminalEvent>
  private let continuation: AsyncStream<TerminalEvent>.Continuation
  private let isEnding = Mutex(false)

  /// Long enough for the rest of a sequence to arrive over a slow connection.
  private static let escapePatienceMilliseconds: Int32 = 500

  /// Waits for keys and signals in a thread. `keys` is the descriptor to read keys from. If it's
  /// nil, you only get signals.
  init(keys: Int32?) {
    (events, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    Self.listen(to: SignalPipe.all, keys: keys) { [self] event in
      if case .signal(let signal) = event, isEnding.withLock({ $0 }) { end(by: signal) }
      continuation.yield(event)
    }
  }

  /// Calls `report` in a separate thread, which blocks until the next signal or key.
  static func listen(
    to signals: [Int32], keys: Int32?, _ report: @escaping @Sendable (TerminalEvent) -> Void
  ) {
    guard let signals = SignalPipe.open(signals) else { return }
    DispatchQueue(label: "retrograde.input").async {
      run(keys: keys, signals: signals, report: report)
    }
  }

  /// From now on, a signal removes the temporary files and ends the program immediately. Call it
  /// when you've left the screen and the program is about to end anyway.
  func endsAtSignals() { isEnding.withLock { $0 = true } }

  private func end(by signal: Int32) {
    guard SignalPipe.ending.contains(signal) else { return }
    TemporaryNames.removeAll { SignalPipe.endProgram(by: signal) }
  }

  private static func run(keys: Int32?, signals: Int32, report: (TerminalEvent) -> Void) {
    var parser = KeyParser()
    // poll() ignores descriptors below 0
    var waiting = [
      pollfd(fd: signals, events: Int16(clamping: POLLIN), revents: 0),
      pollfd(fd: keys ?? -1, events: Int16(clamping: POLLIN), revents: 0),
    ]
    while true {
      let ready = poll(&waiting, 2, parser.isWaiting ? escapePatienceMilliseconds : -1)
      if ready == 0 { for key in parser.timeout() { report(.key(key)) } }
      guard ready > 0 else { continue }
      if waiting[0].revents != 0 {
        for signal in read(signals) ?? [] { report(.signal(Int32(clamping: signal))) }
      }
      if waiting[1].revents != 0 {
        if let bytes = read(waiting[1].fd) {
          for key in parser.feed(bytes) { report(.key(key)) }
        } else {
          waiting[1].fd = -1
          report(.closed)
        }
      }
    }
  }

  /// The available bytes, or nil at the end of the input or if we can't read it.
  private static func read(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return [] }
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }
}
