// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

extension Array {
  /// Returns the frames in reverse order. A frame has `channels` samples.
  func framesReversed(channels: Int) -> [Element] {
    stride(from: count - channels, through: 0, by: -channels).flatMap { self[$0..<$0 + channels] }
  }
}

@Test(arguments: [("short.wav", 2), ("sample.flac", 2), ("surround.flac", 6), ("short.aiff", 2)])
func reversedFileHasItsFramesInTheOppositeOrder(name: String, channels: Int) async throws {
  let folder = try TestFolder()
  let (input, target) = (Sounds.file(name), folder.file("reversed.wav"))
  let rendering = try await input.reverse(to: target)
  #expect(folder.names == ["reversed.wav"])
  #expect(rendering.losses == [])
  let expected = try samplesByFFmpeg(input.url).framesReversed(channels: channels)
  #expect(try samplesByFFmpeg(target) == expected)
}

/// The region contains the same frames as FFmpeg's, in both directions.
@Test(arguments: [Direction.forward, .reverse])
func regionIsExactToTheFrame(direction: Direction) async throws {
  let folder = try TestFolder()
  let (input, target) = (Sounds.file("sample.flac"), folder.file("part.wav"))
  let edit = AudioEdit(region: .seconds(1) ..< .seconds(2.5), direction: direction)
  try await input.render(edit, to: target)
  let part = Array(try samplesByFFmpeg(input.url)[2 * 44_100..<2 * 110_250])
  let expected = direction == .forward ? part : part.framesReversed(channels: 2)
  #expect(try samplesByFFmpeg(target) == expected)
}

/// A region is given in file time, whatever the factor is. Scaling the region gives the
/// same sound as cutting it out first and then scaling it.
@Test(arguments: [Direction.forward, .reverse])
func regionThatIsScaledIsTheSamePart(direction: Direction) async throws {
  let folder = try TestFolder()
  let (part, scaled, once) = (folder.file("part.wav"), folder.file("a.wav"), folder.file("b.wav"))
  let input = Sounds.file("sample.flac")
  let region = Duration.seconds(1) ..< .seconds(2.5)
  try await input.render(AudioEdit(region: region, direction: direction), to: part)
  try await AudioFile(part).scale(by: ScaleFactor(clamping: 2), to: scaled)
  try await input.render(
    AudioEdit(region: region, direction: direction, factor: ScaleFactor(clamping: 2)), to: once
  )
  #expect(try samplesByFFmpeg(once).count == 2 * 2 * 66_150)
  #expect(try samplesByFFmpeg(once) == samplesByFFmpeg(scaled))
}

/// The decoder declares a duration for this file that is shorter than the sound it outputs.
@Test func regionUpToTheEndOfAnM4AIsInOrder() async throws {
  let folder = try TestFolder()
  let (input, end) = (Sounds.file("sample.m4a"), folder.file("end.wav"))
  let (backwards, region) = (folder.file("backwards.wav"), Duration.seconds(1) ..< .seconds(99))
  try await input.render(AudioEdit(region: region), to: end)
  try await input.render(AudioEdit(region: region, direction: .reverse), to: backwards)
  let expected = try samplesByFFmpeg(backwards).framesReversed(channels: 2)
  #expect(expected.count > 2 * 44_100 * 4)
  #expect(try samplesByFFmpeg(end) == expected)
}

/// Edits that use all ways of processing the sound: as a stream or as a whole, in either direction,
/// and only a region of it.
@Test(arguments: [
  ("wav", AudioEdit(factor: ScaleFactor(clamping: 2))), ("wav", AudioEdit(direction: .reverse)),
  ("mka", AudioEdit(direction: .reverse)),
  ("wav", AudioEdit(region: .seconds(10) ..< .seconds(50), direction: .reverse)),
  (
    "wav",
    AudioEdit(direction: .reverse, factor: ScaleFactor(clamping: 2)).with(\.alignment, .endpoints)
  ),
])
func progressRisesTo1(type: String, edit: AudioEdit) async throws {
  let folder = try TestFolder()
  let file = folder.file("noise.\(type)")
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=r=32000:d=60", file.path)
  let seen = Reports<Double>()
  try await AudioFile(file).render(edit, to: folder.file("new.m4a")) { seen.add($0.fraction) }
  #expect(seen.all == seen.all.sorted())
  #expect(seen.all.last == 1)
}

/// An hour of silence, so that the work takes long enough to be cancelled.
private func longSilence(in folder: TestFolder) throws -> AudioFile {
  let file = folder.file("hour.wav")
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "3600",
    file.path)
  return AudioFile(file)
}

@Test(arguments: ["new.wav", "new.flac", "new.mka"])
func cancelledWorkLeavesNothingBehind(name: String) async throws {
  let folder = try TestFolder()
  let input = try longSilence(in: folder)
  let edit = AudioEdit(factor: ScaleFactor(clamping: 20)).with(\.interpolation, .sinc(quality: 10))
  let output = folder.file(name)
  await cancelling {
    try await input.render(edit, to: output, progress: $0)
  } after: {
    #expect(!folder.names.contains(name))
  }
  #expect(folder.names == ["hour.wav"])
}

@Test func outputThatIsTheInputIsRefused() async throws {
  let folder = try TestFolder()
  let file = folder.file("song.wav")
  try FileManager.default.copyItem(at: Sounds.file("short.wav").url, to: file)
  let before = try Data(contentsOf: file)
  let link = folder.file("link.wav")
  try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
  for target in [file, link] {
    let error = await #expect(throws: RetrogradeError.self) {
      try await AudioFile(file).reverse(
        to: target, settings: OutputSettings(replacesExisting: true)
      )
    }
    #expect(error?.code == .outputIsInput)
  }
  #expect(try Data(contentsOf: file) == before)
  #expect(folder.names == ["link.wav", "song.wav"])
}
