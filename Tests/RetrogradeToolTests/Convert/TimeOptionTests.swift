// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Foundation
import Testing

@testable import Retrograde
@testable import RetrogradeTool

@Suite struct TimeOptionTests {
  private func request(_ words: [String]) throws -> EditRequest {
    let options = try TimeOptions.parse(words)
    try options.check()
    var request = EditRequest()
    options.apply(to: &request)
    return request
  }

  private static let lengths: [([String], Double)] = [
    (["--factor", "1.5"], 1.5), (["--factor", "150%"], 1.5), (["--factor", "3/2"], 1.5),
    (["--speed", "1.25"], 0.8), (["--speed", "125%"], 0.8), (["--speed", "5/4"], 0.8),
    (["--tempo", "2"], 0.5), (["--bpm", "92:120"], 92.0 / 120),
    (["--bpm", "120:92.5"], 120 / 92.5),
    ([], 1),
  ]

  @Test(arguments: lengths)
  func wordsForTheLength(words: [String], factor: Double) throws {
    #expect(abs(try request(words).edit.factor.value - factor) < 1e-12)
  }

  private static let pitches: [([String], Bool, Double)] = [
    (["--speed", "2"], false, 0.0), (["--tempo", "2"], true, 0),
    (["--speed", "2", "--keep-pitch"], true, 0), (["--semitones", "-2.5"], false, -2.5),
  ]

  @Test(arguments: pitches)
  func wordsForThePitch(words: [String], isKept: Bool, semitones: Double) throws {
    #expect(
      try request(words).edit.pitch == Pitch(isKept: isKept, semitones: semitones))
  }

  @Test(arguments: [
    "--factor x", "--factor 1/0", "--factor 1/", "--factor %", "--factor 0", "--speed 1000",
    "--bpm 92", "--bpm 0:1", "--bpm a:b", "--length 1:2:3:4", "--semitones x",
    "--semitones 25", "--semitones nan",
    "--factor nan", "--speed 1/2/3",
  ])
  func whatIsNoneIsRefused(words: String) {
    #expect(throws: (any Error).self) { try request(words.split(separator: " ").map(String.init)) }
  }

  @Test(arguments: [
    ("60:100:15", [60.0, 75, 90, 100]), ("60%:100%:20%", [60, 80, 100]),
    ("120:100:15", [120, 105, 100]),
    ("80:80:5", [80]),
  ])
  func aLadderEndsAtItsLastSpeed(words: String, percents: [Double]) throws {
    let speeds = try ScaleFactor.ladder(argument: words).map(\.speed)
    #expect(
      zip(speeds, percents).allSatisfy { abs($0 - $1 / 100) < 1e-12 }
        && speeds.count == percents.count)
  }

  @Test(arguments: [
    "60:100", "60:100:0", "60:100:-5", "a:b:c", "60:100:0.001", "0:100:5", "nan:100:5", "60:inf:5",
    "",
  ])
  func whatIsNoLadderIsRefused(words: String) {
    #expect(throws: (any Error).self) { try ScaleFactor.ladder(argument: words) }
  }

  @Test func twoWordsForTheLengthAreRefused() {
    #expect(throws: ValidationError.self) { try request(["--speed", "2", "--length", "3"]) }
    #expect(throws: Never.self) { try request(["--speed", "2", "--semitones", "3"]) }
  }

  private func song(_ duration: Duration?, rate: Int = 44_100) -> AudioInformation {
    AudioInformation(
      duration: duration, rate: rate, channels: 2, layout: [], sampleFormat: "S16LE",
      isLossy: false, codec: "PCM", tags: AudioTags())
  }

  private static let times: [(Double, String)] = [
    (4.0, "6"), (1.3, "0:02"), (180.5, "3:30"), (3.0, "0.777"), (100, "1"), (7.123, "10:03"),
  ]

  @Test(arguments: times)
  func lengthIsMetToTheFrame(seconds: Double, length: String) throws {
    let song = song(.seconds(seconds))
    let wanted = try #require(Duration(clock: length[...])) / .seconds(1)
    let edit = try request(["--length", length]).edit(for: song, named: "song")
    let frames = (seconds * 44_100).rounded()
    #expect((frames * edit.factor.value).rounded(.down) == (wanted * 44_100).rounded())
  }

  @Test(arguments: [
    "", "s", "1x", "1m30s", "-1", "1 ", "1e9", ":", ":1", "1:30s", "nan", "1.2.3", "1:2:3:4",
  ])
  func otherTimesAreNone(text: String) { #expect(Duration(clock: text[...]) == nil) }

  @Test func lengthIsThatOfTheRegion() throws {
    var request = try request(["--length", "10"])
    request.edit.region = .seconds(5) ..< .seconds(1e6)
    #expect(abs(try request.edit(for: song(.seconds(10)), named: "").factor.value - 2) < 1e-4)
    request.edit.region = nil
    request.last = .seconds(2.5)
    let edit = try request.edit(for: song(.seconds(10)), named: "")
    #expect(edit.region == .seconds(7.5) ..< .longest)
    #expect(abs(edit.factor.value - 4) < 1e-4)
  }

  @Test func lastIsAllOfAShorterFile() throws {
    let request = EditRequest(last: .seconds(60))
    #expect(try request.edit(for: song(.seconds(10)), named: "").region == .zero ..< .longest)
  }

  @Test func aFileThatDoesNotFitIsNamed() throws {
    for (length, duration) in [("1", Duration.seconds(200)), ("1", nil)] {
      do {
        _ = try request(["--length", length]).edit(for: song(duration), named: "a.mp3")
        Issue.record("nothing was thrown")
      } catch let error as RetrogradeError {
        #expect(error.message.hasPrefix("a.mp3: "))
      }
    }
  }
}
