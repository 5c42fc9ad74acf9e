// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// Calculates the outline one sample at a time. Frame i belongs to column ⌊i × columns / frames⌋.
private func slowOutline(
  _ samples: [Float], channels: Int = 1, expected: Int, columns: Int
) -> [ClosedRange<Float>] {
  var outline = Array(repeating: Float(0)...0, count: columns)
  for (index, sample) in samples.enumerated() {
    let column = min(index / channels * columns / expected, columns - 1)
    let known = outline[column]
    outline[column] = min(known.lowerBound, sample)...max(known.upperBound, sample)
  }
  return outline
}

/// Noise from −1 to 1, the same in every run.
private func noise(_ count: Int) -> [Float] {
  var state: UInt32 = 1
  return (0..<count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return Float(Int32(bitPattern: state)) / Float(Int32.max)
  }
}

@Test(arguments: [
  (1000, 1000, 10, 1000), (1000, 1000, 10, 7), (1000, 1000, 7, 13), (997, 997, 80, 64),
  (1000, 1000, 1, 100), (5, 5, 80, 2), (1, 1, 3, 1),
  // sounds with fewer or more samples than announced
  (500, 1000, 10, 33), (1500, 1000, 10, 33), (100, 1, 4, 9),
])
func outlineIsThatOfTheSlowModel(samples: Int, expected: Int, columns: Int, piece: Int) {
  let sound = noise(samples)
  var outline = Outline(columns: columns, frames: expected)
  var reports = 0
  for start in stride(from: 0, to: samples, by: piece) {
    if outline.add([Array(sound[start..<min(start + piece, samples)])]) { reports += 1 }
  }
  let slow = slowOutline(sound, expected: expected, columns: columns)
  #expect(outline.waveform.columns == slow)
  #expect(outline.waveform.fraction == min(Double(samples) / Double(expected), 1))
  #expect(reports <= samples * 50 / expected)
}

@Test func columnNotYetReadIsFlat() {
  var outline = Outline(columns: 4, frames: 8)
  _ = outline.add([[0.5, -0.25, 1], [0.5, -0.5, 0]])
  #expect(outline.waveform.columns == [-0.5...0.5, 0...1, 0...0, 0...0])
  #expect(outline.waveform.fraction == 0.375)
}

/// Compares the outline with the samples that FFmpeg decodes.
@Test func outlineOfAFileIsThatOfItsSamples() async throws {
  let file = Sounds.file("sample.flac")
  let reports = Reports<Double>()
  let outline = try await file.waveform(columns: 40) { reports.add($0.fraction) }
  #expect(reports.all == reports.all.sorted() && reports.all.last == 1)
  let samples = try samplesByFFmpeg(file.url)
  #expect(outline.fraction == 1)
  #expect(
    outline.columns == slowOutline(samples, channels: 2, expected: samples.count / 2, columns: 40))
}

@Test func outlineWithoutAudioThrows() async throws {
  let folder = try TestFolder()
  let text = folder.file("text.mp3")
  try Data(String(repeating: "This is not audio.\n", count: 100).utf8).write(to: text)
  await #expect(throws: RetrogradeError.self) {
    try await AudioFile(text).waveform(columns: 8)
  }
}
