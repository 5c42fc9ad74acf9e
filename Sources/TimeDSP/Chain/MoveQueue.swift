// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The moves of a `TailScaler` that have not begun, in order. A move is a gradual change of the
/// factor.
struct MoveQueue: ~Copyable {
  struct Move: BitwiseCopyable {
    /// The input position at which the move begins, in frames.
    let position: Double
    let factor: Fraction
    /// Length of the move in input frames.
    let frames: UInt64
    /// Number of frames by which the output must be longer than the input after the move; `nil`
    /// unless the move leads to factor 1.
    var shift: Int64?
  }

  private var moves: UnsafeMutablePointer<Move>
  private var capacity: Int
  private var start = 0
  private var count = 0

  /// Throws if memory cannot be allocated.
  init() throws(TimeDSPStatus) {
    capacity = 64
    moves = try Self.room(for: capacity)
  }

  deinit { timedsp_deallocate(moves) }

  private static func room(
    for capacity: Int
  ) throws(TimeDSPStatus) -> UnsafeMutablePointer<Move> {
    guard let memory = timedsp_allocate(capacity &* MemoryLayout<Move>.stride) else {
      throw TIMEDSP_NO_MEMORY
    }
    return memory.bindMemory(to: Move.self, capacity: capacity)
  }

  /// Reserves room for one more move. Not real-time.
  mutating func reserve() throws(TimeDSPStatus) {
    guard start &+ count == capacity else { return }
    let isRoomy = count < capacity &>> 1
    let target = isRoomy ? moves : try Self.room(for: 2 &* capacity)
    var index = 0
    while index < count {
      target[index] = moves[start &+ index]
      index &+= 1
    }
    if !isRoomy {
      timedsp_deallocate(moves)
      moves = target
      capacity &*= 2
    }
    start = 0
  }

  /// Appends a move. Room must have been reserved.
  mutating func append(_ move: Move) {
    guard start &+ count < capacity else { return }
    moves[start &+ count] = move
    count &+= 1
  }

  var first: Move? { count > 0 ? moves[start] : nil }

  mutating func removeFirst() {
    start &+= 1
    count &-= 1
  }
}
