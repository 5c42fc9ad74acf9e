// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Fades the sound out at rest, and in again afterwards.
///
/// If a source is held, it leaves a constant. If it creeps, what's left is far below what anyone
/// hears: at 1/128 of the speed, 2 kHz become 16 Hz. So we silence both, within `frames` output
/// frames, and the sound returns in the same time. The gain is the smoothstep of
/// `level` / `frames`. The level falls by 1 per output frame at rest, and rises by 1 per frame
/// during a move and at a settled speed that isn't rest.
///
/// The speed of a move doesn't change the gain. A scratch passes through zero in less than a
/// millisecond, where the source is as good as constant. If the gain fell and rose there, you'd
/// hear a click.
struct RestFade {
  let frames: Int
  private(set) var level: Int

  init(frames: UInt32) {
    self.frames = Int(truncatingIfNeeded: frames)
    level = self.frames
  }

  /// For a settled speed.
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

  /// For the output frame `ahead` frames after the next one.
  private func gain(_ ahead: Int, isRest: Bool) -> Double {
    var later = self
    later.advance(ahead, isRest: isRest)
    return later.isFull ? 1 : smoothstep(Double(later.level) / Double(frames))
  }

  /// Fades the next `count` output frames in `planes`, from frame `made` on.
  func apply(
    _ count: Int, isRest: Bool, _ shape: AudioShape,
    to planes: UnsafePointer<UnsafeMutableRawPointer?>, made: Int
  ) {
    if isFull && !isRest { return }
    for plane in upTo(shape.planes) {
      if let base = planes[plane] {
        let memory = base + made &* shape.frameBytes
        switch shape.format {
        case TIMEDSP_S16: apply(Int16.self, count, isRest, shape.samplesPerFrame, memory)
        case TIMEDSP_S32: apply(Int32.self, count, isRest, shape.samplesPerFrame, memory)
        case TIMEDSP_F32: apply(Float.self, count, isRest, shape.samplesPerFrame, memory)
        default: apply(Double.self, count, isRest, shape.samplesPerFrame, memory)
        }
      }
    }
  }

  private func apply<S: Sample>(
    _: S.Type, _ count: Int, _ isRest: Bool, _ samplesPerFrame: Int,
    _ memory: UnsafeMutableRawPointer
  ) {
    var sample = memory.assumingMemoryBound(to: S.self)
    for frame in upTo(count) {
      let gain = gain(frame, isRest: isRest)
      let end = sample + samplesPerFrame
      while sample < end {
        sample.pointee = S(nearest: sample.pointee.exact * gain)
        sample += 1
      }
    }
  }
}
