// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

@Test func chaptersStayOnlyIfTheirTimesDo() throws {
  let chapters = ["CHAPTER001=00:00:00.000", "Chapter001name=One"]
  var tags = AudioTags()
  tags.set("extended-comment", to: chapters)
  let region = Duration.seconds(1) ..< .seconds(2)
  let kept = [
    AudioEdit(), AudioEdit().with(\.gain, -3),
    AudioEdit(region: region, direction: .reverse).with(\.keepsRest, true),
  ]
  for edit in kept { #expect(edit.revised(tags).lists["extended-comment"] == chapters) }
  let lost = [
    AudioEdit(direction: .reverse), AudioEdit(factor: try ScaleFactor(2)),
    AudioEdit(region: region),
  ]
  for edit in lost { #expect(edit.revised(tags).lists["extended-comment"] == nil) }
}

@Test func commentsThatAreNoChaptersStay() {
  var tags = AudioTags()
  tags.set("extended-comment", to: ["CHAPTERHOUSE=Dune", "R128_TRACK_GAIN=5", "iTunNORM[eng]= 1"])
  let kept = AudioEdit(direction: .reverse).revised(tags).lists["extended-comment"]
  #expect(kept == ["CHAPTERHOUSE=Dune", "R128_TRACK_GAIN=5", "iTunNORM[eng]= 1"])
  let louder = AudioEdit().with(\.gain, 1).revised(tags).lists["extended-comment"]
  #expect(louder == ["CHAPTERHOUSE=Dune"])
}

@Test(arguments: [(0.0, 0.5, Float(1)), (-6, 0.5, 0.501_187_23), (20, 2, 10)])
func gainIsInDecibels(gain: Double, peak: Double, expected: Float) {
  #expect(AudioEdit().with(\.gain, gain).amplification(peak: peak) == expected)
}

@Test(arguments: [1.0 / 3, 0.7, 1e-6, 1.3, 1e30])
func theLoudestSampleComesToFullScaleAndNotBeyond(peak: Double) {
  let loudest = Double(AudioEdit().with(\.normalizes, true).amplification(peak: peak)) * peak
  #expect(loudest <= 1 && loudest > 1 - 1e-6)
}

@Test func silenceHasNoPeak() {
  #expect(AudioEdit().with(\.normalizes, true).amplification(peak: 0) == 1)
  #expect(AudioEdit().with(\.normalizes, true).amplification(peak: .infinity) == 1)
}

@Test func levelCountsSamplesBeyondFullScale() {
  var level = Level()
  let samples: [Float] = [0.5, -1, 1, 1.000_001, -2, .nan]
  samples.withUnsafeBufferPointer { level.add($0, channels: 2) }
  #expect(level == Level(frames: 3, peak: 2, clipped: 2))
}

/// The loudest sample may be among the samples that are processed as vectors, or among the
/// remaining samples, which are processed one by one.
@Test(arguments: [Int](0..<37))
func levelFindsTheLoudestSample(place: Int) {
  for loudest in [-3.5, 3.5, -.infinity] {
    var samples = (0..<37).map { Double($0 % 7) / 8 - 0.5 }
    samples[(place + 5) % 37] = .nan
    samples[(place + 9) % 37] = -1.5
    samples[place] = loudest
    let expected = Level(frames: 37, peak: loudest.magnitude, clipped: 2)
    var (level, single) = (Level(), Level())
    samples.withUnsafeBufferPointer { level.add($0, channels: 1) }
    samples.map { Float($0) }.withUnsafeBufferPointer { single.add($0, channels: 1) }
    #expect(level == expected)
    #expect(single == expected)
  }
}

/// For any length and any values, the level equals that of a plain loop.
@Test func levelIsThatOfOneSampleAfterTheOther() {
  func check<Sample: BinaryFloatingPoint>(
    _ odd: [Sample], _ add: (inout Level, UnsafeBufferPointer<Sample>) -> Void
  ) {
    for length in 0..<70 {
      let samples = (0..<length).map { index in
        index % 5 == 4 ? odd[(index * 7 + length) % odd.count] : Sample(index % 9) / 9 - 0.5
      }
      var expected = Level(frames: Int64(length))
      for size in samples.map({ Double($0.magnitude) }) where !size.isNaN {
        expected.peak = size > expected.peak ? size : expected.peak
        expected.clipped += size > 1 ? 1 : 0
      }
      var level = Level()
      samples.withUnsafeBufferPointer { add(&level, $0) }
      #expect(level == expected)
      #expect(level.peak.sign == .plus)
    }
  }
  let sets: [[Float]] = [
    [.nan, -.nan], [-0.0], [.nan, -.infinity, 1.5, -1], [.leastNonzeroMagnitude],
  ]
  for odd in sets {
    check(odd) { $0.add($1, channels: 1) }
    check(odd.map { Double($0) }) { $0.add($1, channels: 1) }
  }
}
