// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

@Suite struct ReversalTests {
  static let frameSizes = Array(1...64) + [96, 128, 256, 512, 8192]

  @Test(arguments: frameSizes)
  func framesComeOutInFallingOrder(frameBytes: Int) {
    let counts = frameBytes <= 64 ? Array(0...70) : [0, 1, 2, 3, 4, 5, 17]
    for frames in counts {
      let input = numberedBytes(frames * frameBytes)
      let expected = reversedFrames(input, frameBytes)
      #expect(bits(reversed(input, frameBytes)) == bits(expected), "\(frames) frames")
      #expect(
        bits(reversedInPlace(input, frameBytes)) == bits(expected), "\(frames) frames, in place")
    }
  }

  @Test(arguments: [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64, 96])
  func noAlignmentIsNeeded(frameBytes: Int) {
    let input = numberedBytes(37 * frameBytes)
    let expected = reversedFrames(input, frameBytes)
    for (from, to) in [(1, 0), (0, 1), (3, 5), (7, 2), (9, 15)] {
      #expect(
        bits(reversed(input, frameBytes, inputOffset: from, outputOffset: to)) == bits(expected))
      #expect(bits(reversedInPlace(input, frameBytes, offset: from)) == bits(expected))
    }
  }

  @Test(arguments: [1, 2, 3, 4, 6, 8, 12, 16, 24, 40])
  func longRunsAreReversed(frameBytes: Int) {
    let input = numberedBytes(20_011 * frameBytes)
    let expected = reversedFrames(input, frameBytes)
    #expect(bits(reversed(input, frameBytes)) == bits(expected))
    #expect(bits(reversedInPlace(input, frameBytes)) == bits(expected))
  }

  @Test(arguments: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 64, 72])
  func nothingIsWrittenBeyondTheOutput(frameBytes: Int) {
    for frames in [1, 2, 3, 7, 16, 33] {
      let bytes = frames * frameBytes
      let input = numberedBytes(bytes)
      var output = [UInt8](repeating: 0xA5, count: bytes + 128)
      let status = output.withUnsafeMutableBytes {
        timedsp_reverse(input, $0.baseAddress! + 64, frames, frameBytes)
      }
      #expect(status == TIMEDSP_OK)
      #expect(output.prefix(64).allSatisfy { $0 == 0xA5 })
      #expect(output.suffix(64).allSatisfy { $0 == 0xA5 })
      #expect(bits(Array(output[64..<64 + bytes])) == bits(reversedFrames(input, frameBytes)))
    }
  }

  @Test(arguments: [1, 2, 4, 8, 12, 16])
  func memoryThatOverlapsIsRefused(frameBytes: Int) {
    let frames = 10
    let bytes = frames * frameBytes
    var memory = numberedBytes(3 * bytes)
    let before = memory
    memory.withUnsafeMutableBytes { memory in
      let base = memory.baseAddress! + bytes
      for shift in [-bytes + 1, -frameBytes, -1, 1, frameBytes, bytes - 1] {
        #expect(timedsp_reverse(base, base + shift, frames, frameBytes) == TIMEDSP_OVERLAP)
      }
    }
    #expect(memory == before)
    let touching = memory.withUnsafeMutableBytes { memory in
      timedsp_reverse(memory.baseAddress!, memory.baseAddress! + bytes, frames, frameBytes)
    }
    #expect(touching == TIMEDSP_OK)
  }
}

/// Bytes that differ from frame to frame and inside each frame.
private func numberedBytes(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8 &* 59) }
}

/// The expected output: the bytes are divided into frames, reversed with `reversed()`, and joined.
private func reversedFrames(_ bytes: [UInt8], _ frameBytes: Int) -> [UInt8] {
  let frames = stride(from: 0, to: bytes.count, by: frameBytes).map {
    bytes[$0..<$0 + frameBytes]
  }
  return Array(frames.reversed().joined())
}

private func reversed(
  _ bytes: [UInt8], _ frameBytes: Int, inputOffset: Int = 0, outputOffset: Int = 0
) -> [UInt8] {
  let input = [UInt8](repeating: 0, count: inputOffset) + bytes
  var output = [UInt8](repeating: 0, count: outputOffset + bytes.count)
  let status = input.withUnsafeBytes { input in
    output.withUnsafeMutableBytes { output in
      timedsp_reverse(
        input.baseAddress.map { $0 + inputOffset }, output.baseAddress.map { $0 + outputOffset },
        bytes.count / frameBytes, frameBytes)
    }
  }
  #expect(status == TIMEDSP_OK)
  return Array(output.dropFirst(outputOffset))
}

private func reversedInPlace(
  _ bytes: [UInt8], _ frameBytes: Int, offset: Int = 0
) -> [UInt8] {
  var memory = [UInt8](repeating: 0, count: offset) + bytes
  let status = memory.withUnsafeMutableBytes { memory in
    let base = memory.baseAddress.map { $0 + offset }
    return timedsp_reverse(base, base, bytes.count / frameBytes, frameBytes)
  }
  #expect(status == TIMEDSP_OK)
  return Array(memory.dropFirst(offset))
}
