// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

private func sliceLayout(
  rate: Int, factor: Double, frameBytes: Int = 8, branches: Int = 2
) -> SliceLayout? {
  SliceLayout(rate: rate, factor: factor, frameBytes: frameBytes, branches: branches)
}

/// The ratio of the lengths is the factor, down to the last bit of a `Double`.
@Test(arguments: [8000, 22050, 44100, 48000, 192_000])
func lengthsHaveTheRatioOfTheFactor(rate: Int) throws {
  for factor in [0.25, 0.333, 1 / 1.1, 147.0 / 160, 1.1, 1.5, 4 / 3.0, 2, 4] {
    let layout = try #require(sliceLayout(rate: rate, factor: factor))
    #expect(Double(layout.scaledBlockFrames) / Double(layout.blockFrames) == factor)
    #expect(Double(layout.scaledMarginFrames) / Double(layout.marginFrames) == factor)
    // the longest kernel reaches 136 frames / 0.25 to either side
    #expect(layout.marginFrames >= 544 && layout.marginFrames <= layout.blockFrames)
  }
}

/// Scaling is divided among branches only for simple fractions from 0.25 to 4, and only if there
/// are two or more branches.
@Test func someFactorsAreNotScaledInBranches() {
  for factor in [0.7310585786300049, 0.24, 4.1, .nan] {
    #expect(sliceLayout(rate: 44100, factor: factor) == nil)
  }
  #expect(sliceLayout(rate: 44100, factor: 1.5, branches: 1) == nil)
  #expect(sliceLayout(rate: 0, factor: 1.5) == nil)
}

/// A scaled slice has more buffers than the queue of its branch holds. So the queues of all
/// branches are full from time to time.
@Test(.enabled(if: isLong)) func largeSlicesAreScaled() async throws {
  let folder = try TestFolder()
  let song = AudioFile(folder.file("noise.wav"))
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=seed=1:r=192000:d=41", "-ac", "2",
    "-c:a", "pcm_f64le", song.url.path)
  var results: [Data] = []
  for decoders in [1, 2, 3] {
    let file = folder.file("\(decoders).wav")
    _ = try await song.render(
      AudioEdit(factor: ScaleFactor(clamping: 3.999)).with(\.interpolation, .nearest), to: file,
      settings: OutputSettings(bits: 16, decoders: decoders)
    )
    results.append(try Data(contentsOf: file))
  }
  let areSame = results.allSatisfy { $0 == results[0] }
  #expect(areSame)
}

/// One decoder and several decoders produce bit-identical files. The length of the input is close
/// to eight slices, and the last slice or block may have only a few frames.
@Test(arguments: isLong ? [0, 1, -1, 2047, 2048, -2048, 17_640, 17_641] : [1, -2048])
func anyLengthIsScaledInSlices(extra: Int) async throws {
  let folder = try TestFolder()
  let song = AudioFile(folder.file("noise.wav"))
  // 8 slices of 16 blocks
  try output(
    of: "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=seed=1:r=44100:d=60", "-af",
    "atrim=end_sample=\(8 * 16 * 17_640 + extra)", song.url.path)
  var results: [Data] = []
  for decoders in 1...3 {
    let file = folder.file("\(decoders).wav")
    _ = try await song.render(
      AudioEdit(factor: ScaleFactor(clamping: 1.5)).with(\.interpolation, .linear), to: file,
      settings: OutputSettings(decoders: decoders)
    )
    results.append(try Data(contentsOf: file))
  }
  // two bytes per frame
  let bytes = 2 * 8 * 16 * 26_460
  #expect(results[0].count > bytes - 10_000)
  let areSame = results.allSatisfy { $0 == results[0] }
  #expect(areSame)
}
