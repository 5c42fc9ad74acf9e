// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The input and the output of a player: planes of `Float`, and arrays of the addresses of the
/// planes.
struct PlaneMemory: ~Copyable {
  private let storage: Storage
  private let channels: Int
  private let frames: Int

  /// Allocates planes of `frames` samples. Throws if there is not enough memory.
  init(channels: Int, frames: Int) throws(TimeDSPStatus) {
    self.channels = channels
    self.frames = frames
    let addresses = 2 &* channels &* MemoryLayout<UnsafeRawPointer?>.stride
    storage = try Storage(bytes: 2 &* channels &* frames &* 4 &+ addresses)
    timedsp_clear(storage.base, 2 &* channels &* frames &* 4 &+ addresses)
    for plane in indices { list(1)[plane] = UnsafeRawPointer(output(plane)) }
  }

  var indices: Range<Int> { Range(uncheckedBounds: (0, channels)) }

  func input(_ plane: Int) -> UnsafeMutablePointer<Float> { samples(plane) }

  func output(_ plane: Int) -> UnsafeMutablePointer<Float> { samples(channels &+ plane) }

  private func samples(_ plane: Int) -> UnsafeMutablePointer<Float> {
    (storage.base + plane &* frames &* 4).assumingMemoryBound(to: Float.self)
  }

  private func list(_ side: Int) -> UnsafeMutablePointer<UnsafeRawPointer?> {
    (storage.base + 2 &* channels &* frames &* 4)
      .assumingMemoryBound(to: UnsafeRawPointer?.self) + side &* channels
  }

  /// The addresses of the input planes, each from sample `frame` on.
  func inputs(from frame: Int) -> UnsafePointer<UnsafeRawPointer?> {
    for plane in indices { list(0)[plane] = UnsafeRawPointer(input(plane) + frame) }
    return UnsafePointer(list(0))
  }

  /// The addresses of the output planes.
  func outputs() -> UnsafePointer<UnsafeMutableRawPointer?> {
    UnsafeRawPointer(list(1)).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }
}
