// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The memory for the input and the output of a player: planes of Float, and lists of their
/// addresses.
struct PlaneMemory: ~Copyable {
  private let storage: Storage
  private let channels: Int
  private let frames: Int

  /// Allocates planes of `frames` samples for `channels` channels. Throws if memory is missing.
  init(channels: Int, frames: Int) throws(TimeDSPStatus) {
    self.channels = channels
    self.frames = frames
    let addresses = 2 &* channels &* MemoryLayout<UnsafeRawPointer?>.stride
    storage = try Storage(bytes: 2 &* channels &* frames &* 4 &+ addresses)
    timedsp_clear(storage.base, 2 &* channels &* frames &* 4 &+ addresses)
    for plane in indices { list(1)[plane] = UnsafeRawPointer(output(plane)) }
  }

  var indices: Range<Int> { Range(uncheckedBounds: (0, channels)) }

  /// The samples in a plane of the input.
  func input(_ plane: Int) -> UnsafeMutablePointer<Float> { samples(plane) }

  /// The samples in a plane of the output.
  func output(_ plane: Int) -> UnsafeMutablePointer<Float> { samples(channels &+ plane) }

  private func samples(_ plane: Int) -> UnsafeMutablePointer<Float> {
    (storage.base + plane &* frames &* 4).assumingMemoryBound(to: Float.self)
  }

  private func list(_ side: Int) -> UnsafeMutablePointer<UnsafeRawPointer?> {
    (storage.base + 2 &* channels &* frames &* 4)
      .assumingMemoryBound(to: UnsafeRawPointer?.self) + side &* channels
  }

  /// The addresses of the planes of the input, beginning at frame `frame` of the planes.
  func inputs(from frame: Int) -> UnsafePointer<UnsafeRawPointer?> {
    for plane in indices { list(0)[plane] = UnsafeRawPointer(input(plane) + frame) }
    return UnsafePointer(list(0))
  }

  /// The addresses of the planes of the output.
  func outputs() -> UnsafePointer<UnsafeMutableRawPointer?> {
    UnsafeRawPointer(list(1)).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }
}
