// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Synchronization

/// Sends values to any number of listeners, which each get their own stream.
final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var listeners: [AsyncStream<Element>.Continuation] = []
    var last: Element?
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let repeatsLast: Bool

  /// A listener that doesn't keep up only gets the latest `capacity` values. With `repeatsLast`, a
  /// new listener gets the last value immediately.
  init(capacity: Int, repeatsLast: Bool = false) {
    (self.capacity, self.repeatsLast) = (capacity, repeatsLast)
  }

  deinit { finish() }

  var stream: AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(capacity))
    state.withLock { state in
      if let last = state.last { continuation.yield(last) }
      state.listeners.append(continuation)
    }
    return stream
  }

  /// The value that a new listener gets immediately. Nil without `repeatsLast`.
  var last: Element? { state.withLock { $0.last } }

  func send(_ element: Element) {
    state.withLock { state in
      if repeatsLast { state.last = element }
      state.listeners.removeAll {
        if case .terminated = $0.yield(element) { true } else { false }
      }
    }
  }

  /// Ends all current streams. You can still create new ones.
  func finish() {
    state.withLock { state in
      for listener in state.listeners { listener.finish() }
      state = State()
    }
  }
}
