// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Reverses the order of frames in memory.
///
/// Frames of up to 64 bytes are moved in words (integers and SIMD vectors), larger frames by
/// `memcpy`. Loads and stores need no alignment.
struct FrameReversal {
  /// Address of the first frame.
  let input: UnsafeRawPointer
  /// Address of the output. It is either equal to `input`, or the output does not overlap the
  /// input.
  let output: UnsafeMutableRawPointer
  let frames: Int
  let frameBytes: Int

  /// Reverses the frames.
  func run() {
    switch frameBytes {
    case 1: reverseWords(frame: UInt8.self) { (word: SIMD16<UInt16>) in word.bytesSwapped.reversed }
    case 2: reverseWords(frame: UInt16.self) { (word: SIMD16<UInt16>) in word.reversed }
    case 4: reverseWords(frame: UInt32.self) { (word: SIMD8<UInt32>) in word.reversed }
    case 8: reverseWords(frame: UInt64.self) { (word: SIMD4<UInt64>) in word.reversed }
    case 16: reverseWords(frame: SIMD2<UInt64>.self) { (word: SIMD4<UInt64>) in word.swapped }
    case 32: reverseWords(frame: SIMD4<UInt64>.self) { (word: SIMD4<UInt64>) in word }
    case 64: reverseWords(frame: SIMD8<UInt64>.self) { (word: SIMD8<UInt64>) in word }
    case 3, 6, 12, 24: reverseThirds()
    case 5...7: moveWords(UInt64.self, half: UInt32.self)
    case 9...15: moveWords(SIMD2<UInt64>.self, half: UInt64.self)
    case 17...31: moveWords(SIMD4<UInt64>.self, half: SIMD2<UInt64>.self)
    case 33...63: moveWords(SIMD8<UInt64>.self, half: SIMD4<UInt64>.self)
    default: moveBytes()
    }
  }

  /// Reverses frames of three lanes of 1, 2, 4 or 8 bytes each. A word holds one to five frames.
  private func reverseThirds() {
    switch frameBytes {
    case 3 where timedsp_shuffles_bytes() == 0: moveWords(UInt32.self, half: UInt16.self)
    case 3:
      reversePart(
        used: 15, half: UInt16.self, up: { (word: SIMD16<UInt8>, kept) in word.fiveUp(kept) },
        down: { (word, kept) in word.fiveDown(kept) })
    case 6:
      reversePart(
        used: 12, half: UInt32.self, up: { (word: SIMD8<UInt16>, kept) in word.twoUp(kept) },
        down: { (word, kept) in word.twoDown(kept) })
    case 12:
      reversePart(
        used: 24, half: UInt64.self, up: { (word: SIMD8<UInt32>, kept) in word.twoUp(kept) },
        down: { (word, kept) in word.twoDown(kept) })
    default:
      reversePart(
        used: 24, half: SIMD2<UInt64>.self,
        up: { (word: SIMD4<UInt64>, kept) in word.oneUp(kept) },
        down: { (word, kept) in word.oneDown(kept) })
    }
  }

  /// Whether input and output are the same memory.
  var isInPlace: Bool { input == UnsafeRawPointer(output) }

  /// The size of all frames in bytes.
  var bytes: Int { frames &* frameBytes }
}
