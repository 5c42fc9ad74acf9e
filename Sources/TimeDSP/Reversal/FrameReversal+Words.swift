// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Reversal in words. A word is an integer or a SIMD vector. If a word holds a whole number of
// frames, they are reversed inside a vector register. Otherwise, each frame is copied as a slightly
// longer word, and the next store overwrites the excess bytes.

extension FrameReversal {
  /// Reverses frames if a whole number of them fills a `Word`. `reversed` reverses the frames of
  /// one word. `Frame` has the size of a frame.
  @inline(__always)
  func reverseWords<Word: BitwiseCopyable, Frame: BitwiseCopyable>(
    frame: Frame.Type, reversed: (Word) -> Word
  ) {
    let width = MemoryLayout<Word>.size
    if bytes < width {
      moveHalves(frame)
    } else if isInPlace {
      reverseWordsInPlace(frame: frame, reversed: reversed)
    } else {
      // ascending output is better for caches than ascending input
      var left = bytes
      var target = output
      while left > width {
        left &-= width
        target.write(reversed((input + left).read(Word.self)))
        target += width
      }
      // The remaining frames may be shorter than a word. A whole word is stored nevertheless, so
      // some frames are stored twice.
      (output + (bytes &- width)).write(reversed(input.read(Word.self)))
    }
  }

  /// Swaps words, from both ends towards the middle. The last two words may overlap. Both are
  /// loaded before either is stored, and both stores write the same values to the shared bytes.
  @inline(__always)
  private func reverseWordsInPlace<Word: BitwiseCopyable, Frame: BitwiseCopyable>(
    frame: Frame.Type, reversed: (Word) -> Word
  ) {
    let width = MemoryLayout<Word>.size
    var head = output
    var left = bytes
    while left >= width {
      let tail = head + (left &- width)
      let first = head.read(Word.self)
      let last = tail.read(Word.self)
      head.write(reversed(last))
      tail.write(reversed(first))
      head += width
      left &-= 2 &* width
    }
    guard left > 0 else { return }
    let middle = left / MemoryLayout<Frame>.size
    FrameReversal(input: head, output: head, frames: middle, frameBytes: frameBytes)
      .moveHalves(frame)
  }

  /// Reverses frames that are longer than `Half` and at most as long as `Word`. `Word` is twice as
  /// long as `Half`.
  @inline(__always)
  func moveWords<Word: BitwiseCopyable, Half: BitwiseCopyable>(
    _ word: Word.Type, half: Half.Type
  ) {
    guard !isInPlace, frames > 2 else { return moveHalves(half) }
    // Output ascends, so that the next store overwrites the excess bytes of a word. The first load
    // and the last store would exceed the arrays, so these two frames are copied in halves.
    var source = input + (bytes &- frameBytes)
    var target = output
    copyFrame(from: source, to: target, half)
    var left = frames &- 2
    while left > 0 {
      source -= frameBytes
      target += frameBytes
      target.write(source.read(Word.self))
      left &-= 1
    }
    copyFrame(from: input, to: output + (bytes &- frameBytes), half)
  }
}

extension SIMD16<UInt16> {
  /// The lanes in reverse order.
  @inline(__always)
  var reversed: Self {
    Self(
      self[15], self[14], self[13], self[12], self[11], self[10], self[9], self[8],
      self[7], self[6], self[5], self[4], self[3], self[2], self[1], self[0])
  }

  /// The two bytes of every lane swapped.
  @inline(__always)
  var bytesSwapped: Self { self &<< 8 | self &>> 8 }
}

extension SIMD8<UInt32> {
  /// The lanes in reverse order.
  @inline(__always)
  var reversed: Self {
    Self(self[7], self[6], self[5], self[4], self[3], self[2], self[1], self[0])
  }
}

extension SIMD4<UInt64> {
  /// The lanes in reverse order.
  @inline(__always)
  var reversed: Self { Self(self[3], self[2], self[1], self[0]) }

  /// The two halves swapped.
  @inline(__always)
  var swapped: Self { Self(self[2], self[3], self[0], self[1]) }
}
