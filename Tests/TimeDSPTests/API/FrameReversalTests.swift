// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import TimeDSP

/// Compares reversed frames with an array that is reversed frame by frame.
@Suite struct FrameReversalTests {
  @Test(arguments: [1, 2, 3, 6, 8, 40])
  func framesAreMovedWhole(channels: Int) throws {
    for frames in [0, 1, 2, 5, 1_000] {
      let floats = OddReader.sound(frames: frames, channels: channels)
      let reversal = try FrameReversal(of: Float.self, channels: channels)
      #expect(try reversal.reversed(floats) == floats.framesReversed(channels))
      #expect(try reversal.reversed(reversal.reversed(floats)) == floats)

      let shorts = floats.map { Int16($0 * 0x7FFF) }
      let ofShorts = try FrameReversal(of: Int16.self, channels: channels)
      #expect(try ofShorts.reversed(shorts) == shorts.framesReversed(channels))
    }
  }

  @Test func bytesOf24BitsAreFramesToo() throws {
    let bytes = (0..<600).map { UInt8($0 % 251) }
    var turned = bytes
    try FrameReversal(frameBytes: 6).reverse(&turned)
    #expect(turned == bytes.framesReversed(6))
  }

  @Test func otherMemoryIsWrittenAndThisOneKept() throws {
    let audio = OddReader.sound(frames: 77, channels: 2)
    var output = [Float](repeating: 0, count: audio.count)
    var span = output.mutableSpan
    var target = span.mutableBytes
    try FrameReversal(of: Float.self, channels: 2).reverse(audio.span.bytes, into: &target)
    #expect(output == audio.framesReversed(2))
  }

  @Test func whatCannotBeIsRefused() throws {
    #expect(throws: RetrogradeError.badFrameSize) { try FrameReversal(frameBytes: 0) }
    #expect(throws: RetrogradeError.badFrameSize) { try FrameReversal(frameBytes: 8193) }
    #expect(throws: RetrogradeError.badChannels) { try FrameReversal(of: Float.self, channels: 0) }
    #expect(throws: RetrogradeError.badChannels) {
      try FrameReversal(of: Int8.self, channels: 1025)
    }
    let stereo = try FrameReversal(of: Float.self, channels: 2)
    #expect(throws: RetrogradeError.badLength) { try stereo.reversed([1, 2, 3] as [Float]) }
    var kept: [Float] = [1, 2, 3]
    #expect(throws: RetrogradeError.badLength) { try stereo.reverse(&kept) }
    #expect(kept == [1, 2, 3])
    var short: [Float] = [0, 0]
    var span = short.mutableSpan
    var target = span.mutableBytes
    let input: [Float] = [1, 2, 3, 4]
    do {
      try stereo.reverse(input.span.bytes, into: &target)
      Issue.record("more was written than there is room for")
    } catch {
      #expect(error == .badOutput)
    }
    #expect(short == [0, 0])
  }
}
