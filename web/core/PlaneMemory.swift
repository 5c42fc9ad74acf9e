// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A player's input and output: planes of `Float`, and arrays of their addresses.
struct PlaneMemory: ~Copyable {
  private let memory: Arena
  private let base: UnsafeMutableRawPointer
  private let channels: Int
  private let frames: Int

  /// A plane has `frames` samples. Throws if there's no memory.
  init(channels: Int, frames: Int) throws(TimeDSPStatus) {
    self.channels = channels
    self.frames = frames
    let addresses = 2 &* channels &* MemoryLayout<UnsafeRawPointer?>.stride
    var memory = Arena()
    let row: Row<UInt8> = try memory.row(2 &* channels &* frames &* 4 &+ addresses)
    base = UnsafeMutableRawPointer(row.address(0))
    self.memory = memory
    for plane in indices { list(1)[plane] = UnsafeRawPointer(output(plane)) }
  }

  var indices: Range<Int> { Range(uncheckedBounds: (0, channels)) }

  func input(_ plane: Int) -> UnsafeMutablePointer<Float> { samples(plane) }

  func output(_ plane: Int) -> UnsafeMutablePointer<Float> { samples(channels &+ plane) }

  private func samples(_ plane: Int) -> UnsafeMutablePointer<Float> {
    (base + plane &* frames &* 4).assumingMemoryBound(to: Float.self)
  }

  private func list(_ side: Int) -> UnsafeMutablePointer<UnsafeRawPointer?> {
    (base + 2 &* channels &* frames &* 4)
      .assumingMemoryBound(to: UnsafeRawPointer?.self) + side &* channels
  }

  /// Each plane from sample `frame` on.
  func inputs(from frame: Int) -> UnsafePointer<UnsafeRawPointer?> {
    for plane in indices { list(0)[plane] = UnsafeRawPointer(input(plane) + frame) }
    return UnsafePointer(list(0))
  }

  func outputs() -> UnsafePointer<UnsafeMutableRawPointer?> {
    UnsafeRawPointer(list(1)).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }
}
