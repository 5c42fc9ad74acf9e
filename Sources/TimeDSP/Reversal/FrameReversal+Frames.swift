// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// Reversal frame by frame: for frames that do not fit into words, and for the frames at the ends of
// the input, which the functions for words do not reverse.

extension FrameReversal {
  /// Reverses frames that are one to two `Half`s long. A frame is moved as its first and its last
  /// `Half`. If the frame is shorter than two `Half`s, the two overlap.
  @inline(__always)
  func moveHalves<Half: BitwiseCopyable>(_ half: Half.Type) {
    var low = 0
    var high = bytes &- frameBytes
    if isInPlace {
      while low < high {
        swapFrames(output + low, output + high, half)
        low &+= frameBytes
        high &-= frameBytes
      }
    } else {
      while high >= 0 {
        copyFrame(from: input + high, to: output + low, half)
        low &+= frameBytes
        high &-= frameBytes
      }
    }
  }

  /// Reverses frames of any size.
  func moveBytes() {
    var low = 0
    var high = bytes &- frameBytes
    if isInPlace {
      while low < high {
        swapBytes(output + low, output + high)
        low &+= frameBytes
        high &-= frameBytes
      }
    } else {
      while high >= 0 {
        timedsp_copy(output + low, input + high, frameBytes)
        low &+= frameBytes
        high &-= frameBytes
      }
    }
  }

  /// Copies a frame that is one to two `Half`s long.
  @inline(__always)
  func copyFrame<Half: BitwiseCopyable>(
    from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ half: Half.Type
  ) {
    let rest = frameBytes &- MemoryLayout<Half>.size
    let start = source.read(half)
    let end = (source + rest).read(half)
    target.write(start)
    (target + rest).write(end)
  }

  /// Exchanges two frames that are one to two `Half`s long.
  @inline(__always)
  private func swapFrames<Half: BitwiseCopyable>(
    _ one: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer, _ half: Half.Type
  ) {
    let rest = frameBytes &- MemoryLayout<Half>.size
    let start = one.read(half)
    let end = (one + rest).read(half)
    copyFrame(from: other, to: one, half)
    other.write(start)
    (other + rest).write(end)
  }

  /// Exchanges two frames of any size.
  private func swapBytes(_ one: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) {
    typealias Word = SIMD4<UInt64>
    let width = MemoryLayout<Word>.size
    var offset = 0
    while offset <= frameBytes &- width {
      let word = (one + offset).read(Word.self)
      (one + offset).write((other + offset).read(Word.self))
      (other + offset).write(word)
      offset &+= width
    }
    while offset < frameBytes {
      let byte = (one + offset).read(UInt8.self)
      (one + offset).write((other + offset).read(UInt8.self))
      (other + offset).write(byte)
      offset &+= 1
    }
  }
}
