// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The last runs, which tell us where in the sound the output is: a stretcher outputs a frame up to
/// one window after it has received it.
///
/// We keep only eight of them, so in a very short loop, the position may be inexact.
struct PlayedRuns {
  private typealias Entry = (input: Int64, start: Int64, step: Int64)
  private static let capacity: Int64 = 8
  private var entries: InlineArray<8, Entry> = .init(repeating: (0, 0, 1))
  private var count: Int64 = 0

  private func index(_ entry: Int64) -> Int {
    Int(truncatingIfNeeded: entry & (Self.capacity &- 1))
  }

  /// The chain receives the run from its input frame `input` on.
  mutating func append(_ run: FrameRun, at input: Int64) {
    let step: Int64 = run.isBackward ? -1 : 1
    if count > 0 {
      let last = entries[index(count &- 1)]
      let isContinued = last.start &+ (input &- last.input) &* last.step == run.start
      if last.step == step, isContinued { return }
    }
    entries[index(count)] = (input, run.start, step)
    count &+= 1
  }

  /// In the sound, for input frame `input` of the chain. `nil` if there was no run. Before the
  /// oldest run that we know, it's the start of that.
  func position(at input: Double) -> Double? {
    guard count > 0 else { return nil }
    var entry = count &- 1
    while entry > max(count &- Self.capacity, 0), Double(entries[index(entry)].input) > input {
      entry &-= 1
    }
    let found = entries[index(entry)]
    return Double(found.start) + max(input - Double(found.input), 0) * Double(found.step)
  }
}
