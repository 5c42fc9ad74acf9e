// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A run of frames in memory that is to be put into falling order.
///
/// Frames up to 64 bytes travel in machine words, larger ones by `memcpy`.
/// Whatever is loaded or stored needs no alignment.
struct FrameReversal {
  /// Where the first frame lies.
  let input: UnsafeRawPointer
  /// The same address as `input`, or memory apart from it.
  let output: UnsafeMutableRawPointer
  let frames: Int
  let frameBytes: Int

  /// Turns the run around.
  func run() {
    switch frameBytes {
    case 1: turnWords(frame: UInt8.self) { (word: SIMD8<UInt16>) in word.bytesSwapped.turned }
    case 2: turnWords(frame: UInt16.self) { (word: SIMD8<UInt16>) in word.turned }
    case 3: moveWords(UInt32.self, half: UInt16.self)
    case 4: turnWords(frame: UInt32.self) { (word: SIMD4<UInt32>) in word.turned }
    case 5...7: moveWords(UInt64.self, half: UInt32.self)
    case 8: turnWords(frame: UInt64.self) { (word: SIMD2<UInt64>) in word.turned }
    case 9...15: moveWords(SIMD2<UInt64>.self, half: UInt64.self)
    case 16: turnWords(frame: SIMD2<UInt64>.self) { (word: SIMD2<UInt64>) in word }
    case 17...32: moveWords(SIMD4<UInt64>.self, half: SIMD2<UInt64>.self)
    case 33...64: moveWords(SIMD8<UInt64>.self, half: SIMD4<UInt64>.self)
    default: moveBytes()
    }
  }

  /// Whether the frames stay in the same memory.
  var isInPlace: Bool { input == UnsafeRawPointer(output) }

  /// The size of the run.
  var bytes: Int { frames &* frameBytes }
}
