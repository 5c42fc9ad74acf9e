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

/// Keys and signals, in the order in which they arrive.
final class TerminalInput: Sendable {
  let events: AsyncStream<TerminalEvent>
  private let isEnding = Mutex(false)

  /// `keys` is the descriptor to read keys from. If it's nil, you only get signals.
  init(keys: Int32?) {
    let (events, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    self.events = events
    let queue = DispatchQueue(label: "retrograde.input")
    Signals.watch(Signals.ending + [SIGTSTP, SIGCONT, SIGWINCH], on: queue) { [self] signal in
      if Signals.ending.contains(signal), isEnding.withLock({ $0 }) {
        TemporaryNames.removeAll { Signals.endProgram(by: signal) }
      }
      continuation.yield(.signal(signal))
    }
    guard let keys else { return }
    let parser = Mutex(KeyParser())
    let source = DispatchSource.makeReadSource(fileDescriptor: keys, queue: queue)
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = read(keys, &bytes, bytes.count)
      if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
      for key in parser.withLock({ $0.feed(bytes.prefix(max(count, 0))) }) {
        continuation.yield(.key(key))
      }
      guard count <= 0 else { return }
      continuation.yield(.closed)
      source.cancel()
    }
    source.resume()
  }

  /// From now on, a signal removes the temporary files and ends the program immediately. Call it
  /// when you've left the screen and the program is about to end anyway.
  func endsAtSignals() { isEnding.withLock { $0 = true } }
}
