// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Reversal in words that whole frames do not fill. A word holds 5 frames of 3 bytes, 2 frames of 6
// or 12 bytes, or 1 frame of 24 bytes. The lanes are written out individually, because the compiler
// would generate more than one instruction for a loop.

extension FrameReversal {
  /// Reverses frames that fill `used` bytes of a `Word`. A frame is one to two `Half`s long.
  ///
  /// `up(word, kept)` moves the frames at the end of `word` to its beginning, in reverse order. The
  /// bytes after these frames are taken from `kept`. `down(word, kept)` moves the frames at the
  /// beginning of `word` to its end, in reverse order. The bytes before these frames are taken from
  /// `kept`.
  @inline(__always)
  func reversePart<Word: BitwiseCopyable, Half: BitwiseCopyable>(
    used: Int, half: Half.Type, up: (Word, Word) -> Word, down: (Word, Word) -> Word
  ) {
    if isInPlace {
      reversePartInPlace(used: used, half: half, up: up, down: down)
      return
    }
    let width = MemoryLayout<Word>.size
    var target = output
    var left = bytes
    // Each store writes a whole word, and the next store overwrites the bytes after its frames. Two
    // words per iteration reduce the cost of the loop.
    while left >= width &+ used {
      let near = (input + (left &- width)).read(Word.self)
      let far = (input + (left &- used &- width)).read(Word.self)
      target.write(up(near, near))
      (target + used).write(up(far, far))
      target += 2 &* used
      left &-= 2 &* used
    }
    rest(input, target, left).moveHalves(half)
  }

  /// Swaps words, from both ends towards the middle. Neighbouring words share some bytes. Each word
  /// is read before its neighbour is written, because reading bytes whose write is pending is slow.
  @inline(__always)
  private func reversePartInPlace<Word: BitwiseCopyable, Half: BitwiseCopyable>(
    used: Int, half: Half.Type, up: (Word, Word) -> Word, down: (Word, Word) -> Word
  ) {
    let width = MemoryLayout<Word>.size
    var head = output
    var left = bytes
    if left >= 2 &* width {
      var first = head.read(Word.self)
      var last = (head + (left &- width)).read(Word.self)
      while left >= 2 &* (width &+ used) {
        let tail = head + (left &- width)
        let nextFirst = (head + used).read(Word.self)
        let nextLast = (tail - used).read(Word.self)
        head.write(up(last, first))
        tail.write(down(first, last))
        (first, last) = (nextFirst, nextLast)
        head += used
        left &-= 2 &* used
      }
    }
    rest(UnsafeRawPointer(head), head, left).moveHalves(half)
  }

  /// The reversal of the remaining `left` bytes.
  private func rest(
    _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ left: Int
  ) -> FrameReversal {
    let frames = UInt64(truncatingIfNeeded: left).quotient(
      by: UInt64(truncatingIfNeeded: frameBytes))
    return FrameReversal(
      input: input, output: output, frames: Int(truncatingIfNeeded: frames),
      frameBytes: frameBytes)
  }
}

extension SIMD16 {
  /// `up` and `down` for five frames of three lanes each.
  @inline(__always)
  func fiveUp(_ kept: Self) -> Self {
    Self(
      self[13], self[14], self[15], self[10], self[11], self[12], self[7], self[8], self[9],
      self[4], self[5], self[6], self[1], self[2], self[3], kept[15])
  }

  @inline(__always)
  func fiveDown(_ kept: Self) -> Self {
    Self(
      kept[0], self[12], self[13], self[14], self[9], self[10], self[11], self[6], self[7],
      self[8], self[3], self[4], self[5], self[0], self[1], self[2])
  }
}

extension SIMD8 {
  /// `up` and `down` for two frames of three lanes each.
  @inline(__always)
  func twoUp(_ kept: Self) -> Self {
    Self(self[5], self[6], self[7], self[2], self[3], self[4], kept[6], kept[7])
  }

  @inline(__always)
  func twoDown(_ kept: Self) -> Self {
    Self(kept[0], kept[1], self[3], self[4], self[5], self[0], self[1], self[2])
  }
}

extension SIMD4 {
  /// `up` and `down` for one frame of three lanes.
  @inline(__always)
  func oneUp(_ kept: Self) -> Self { Self(self[1], self[2], self[3], kept[3]) }

  @inline(__always)
  func oneDown(_ kept: Self) -> Self { Self(kept[0], self[0], self[1], self[2]) }
}
