// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

private let hour = Duration.seconds(3600)

@Test(arguments: [
  (AudioEdit(), 10, 20, 10, 20), (AudioEdit(direction: .reverse), 10, 20, 3580, 3590),
  (AudioEdit(factor: ScaleFactor(clamping: 2)), 10, 20, 20, 40),
  (AudioEdit(direction: .reverse, factor: ScaleFactor(clamping: 0.5)), 0, 3600, 0, 1800),
  (AudioEdit(region: .seconds(15) ..< .seconds(100)), 10, 20, 0, 5),
  (AudioEdit(region: .seconds(15) ..< .seconds(100), direction: .reverse), 10, 20, 80, 85),
  (AudioEdit(region: .seconds(3590) ..< .seconds(9999), direction: .reverse), 3500, 3600, 0, 10),
])
func aPartGoesWhereItsSoundGoes(edit: AudioEdit, start: Int, stop: Int, newStart: Int, newStop: Int)
{
  let place = edit.outputRange(of: .seconds(start) ..< .seconds(stop), in: hour)
  #expect(place == .seconds(newStart) ..< .seconds(newStop))
}

@Test func aPartOutsideOfTheRegionIsNowhere() {
  let edit = AudioEdit(region: .seconds(15) ..< .seconds(100))
  #expect(edit.outputRange(of: .seconds(1) ..< .seconds(15), in: hour) == nil)
  #expect(edit.outputRange(of: .seconds(100) ..< .seconds(200), in: hour) == nil)
  #expect(edit.outputRange(of: .seconds(3600) ..< .seconds(3700), in: hour) == nil)
}

/// Chapters with a number or a time that is too large, chapters with an invalid time, and names
/// without a chapter are ignored.
@Test func strangeChaptersAreLeftOut() {
  let comments = [
    "CHAPTER001=00:00:00.000", "CHAPTER002=x", "CHAPTER003NAME=Lost", "CHAPTER=00:00:01.000",
    "CHAPTER9223372036854775807=00:00:01.000", "CHAPTER004=99999999999:00:00", "CHAPTER005=0:0",
  ]
  let moved = ChapterComments(comments).moved(by: AudioEdit(direction: .reverse), in: hour)
  #expect(moved == ["CHAPTER001=00:00:00.000"])
}

@Test func commentsThatAreNoChaptersStay() {
  var tags = AudioTags()
  tags.set("extended-comment", to: ["CHAPTERHOUSE=Dune", "R128_TRACK_GAIN=5", "iTunNORM[eng]= 1"])
  let kept = AudioEdit(direction: .reverse).revised(tags, duration: hour).lists["extended-comment"]
  #expect(kept == ["CHAPTERHOUSE=Dune", "R128_TRACK_GAIN=5", "iTunNORM[eng]= 1"])
  let louder = AudioEdit().with(\.gain, 1).revised(tags, duration: hour).lists["extended-comment"]
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
