// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Fades the sound out at rest, and in again afterwards.
///
/// If you hold a source still, you get a constant. If you let it creep, what's left is far too low
/// to hear: at 1/128 of the speed, 2 kHz turns into 16 Hz. We silence both over `frames` output
/// frames, and bring the sound back in the same time. The gain is the smoothstep of `level` /
/// `frames`. The level falls by 1 per output frame at rest, and rises by 1 per frame otherwise.
///
/// During a move, the speed doesn't affect the gain. A scratch passes through zero in less than a
/// millisecond, and the source is practically constant during that time. If the gain dropped and
/// came back there, you'd hear a click.
struct RestFade {
  let frames: Int
  private(set) var level: Int

  init(frames: UInt32) {
    self.frames = Int(truncatingIfNeeded: frames)
    level = self.frames
  }

  /// True if a settled speed counts as rest.
  static func isRest(_ speed: Double) -> Bool { speed.magnitude < 0x1p-7 }

  var isFull: Bool { level == frames }

  mutating func match(_ other: RestFade) {
    level = other.isFull ? frames : min(other.level, max(frames &- 1, 0))
  }

  mutating func fill() { level = frames }
  mutating func empty() { level = 0 }

  mutating func advance(_ count: Int, isRest: Bool) {
    level = isRest ? max(level &- count, 0) : min(level &+ count, frames)
  }

  /// The gain at the output frame `ahead` frames after the next one.
  private func gain(_ ahead: Int, isRest: Bool) -> Double {
    var later = self
    later.advance(ahead, isRest: isRest)
    return later.isFull ? 1 : smoothstep(Double(later.level) / Double(frames))
  }

  /// Fades the next `count` output frames in `planes`, starting at frame `made`.
  func apply(_ count: Int, isRest: Bool, _ shape: AudioShape, to planes: OutputPlanes, made: Int) {
    if isFull && !isRest { return }
    for channel in upTo(shape.channels) {
      shape.write(channel, to: planes, made: made, count) { frame, number in
        number * gain(frame, isRest: isRest)
      }
    }
  }
}
