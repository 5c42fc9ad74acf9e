// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// A frame of 16-bit stereo.
private let frameBytes = 4

/// Reverses `short.wav`. The reversed file is correct until the test damages it.
private func reversal(in folder: TestFolder) async throws -> (AudioFile, URL) {
  let (input, target) = (Sounds.file("short.wav"), folder.file("reversed.wav"))
  try await input.reverse(to: target).finish()
  return (input, target)
}

@Test func soundReversalIsFoundEqual() async throws {
  let folder = try TestFolder()
  let (input, target) = try await reversal(in: folder)
  let comparison = try await input.verifyReversal(in: AudioFile(target)).finish()
  #expect(comparison.isExact)
  #expect(comparison.frames == 66_167)
  #expect(comparison.largestDifference == 0)
  #expect(comparison.firstDifference == nil)
}

@Test func oneStepInOneSampleIsFound() async throws {
  let folder = try TestFolder()
  let (input, target) = try await reversal(in: folder)
  var bytes = try Data(contentsOf: target)
  let frame = 1000
  let start = try #require(bytes.range(of: Data("data".utf8))).upperBound + 4
  bytes[start + frameBytes * (66_167 - 1 - frame)] ^= 1
  try bytes.write(to: target)
  let comparison = try await input.verifyReversal(in: AudioFile(target)).finish()
  #expect(!comparison.isExact)
  #expect(comparison.differing == 1)
  #expect(comparison.firstDifference == Int64(frame))
  #expect(comparison.largestDifference == 1.0 / 32768)
  #expect(comparison.surplus == 0)
}

/// If frames are missing at the end of the reversed file, the first frames of the original are
/// missing. So every frame is at a wrong position.
@Test func missingFramesAreFound() async throws {
  let folder = try TestFolder()
  let (input, target) = try await reversal(in: folder)
  let cut = folder.file("cut.wav")
  try output(
    of: "ffmpeg", "-v", "error", "-i", target.path, "-af", "atrim=end_sample=66067", cut.path)
  let comparison = try await input.verifyReversal(in: AudioFile(cut)).finish()
  #expect(!comparison.isExact)
  #expect(comparison.surplus == -100)
  #expect(comparison.frames == 66_067)
  #expect(comparison.differing > 0)
}

@Test func fileThatIsNotReversedIsFound() async throws {
  let input = Sounds.file("short.wav")
  let comparison = try await input.verifyReversal(in: input).finish()
  #expect(!comparison.isExact)
  #expect(comparison.differing > 60_000)
}

/// If no reversed file is given (`nil`), the decoded sound is reversed twice. It is not encoded in
/// between, because a lossy encoder would change it.
@Test(arguments: ["sample.mp3", "sample.ogg", "sample.opus", "sample.m4a", "surround.ogg"])
func soundOfALossyFileReversedTwiceIsTheSame(name: String) async throws {
  let file = Sounds.file(name)
  let comparison = try await file.verifyReversal(in: nil).finish()
  #expect(comparison.isExact, "\(comparison)")
  #expect(comparison.frames > 150_000)
}
