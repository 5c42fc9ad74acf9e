// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

private let input = AudioInformation(
  duration: .seconds(1), rate: 44_100, channels: 2, layout: [], sampleFormat: "F32LE",
  isLossy: false, codec: "PCM", tags: AudioTags())

@Test(arguments: [
  ("wav", 8, "U8"), ("wav", 16, "S16LE"), ("wav", 24, "S24LE"), ("wav", 32, "S32LE"),
  ("aiff", 8, "S8"), ("aiff", 16, "S16BE"), ("aiff", 24, "S24BE"), ("flac", 16, "S16LE"),
  ("flac", 24, "S24LE"),
])
func samplesHaveTheBitsThatAreAskedFor(name: String, bits: Int, format: String) throws {
  let encoding = try Encoding(
    OutputSettings(bits: bits), for: URL(fileURLWithPath: "/a.\(name)"))
  #expect(encoding.sampleFormat(for: input) == format)
}

@Test func rateIsTheOneAskedFor() throws {
  let encoding = try Encoding(OutputSettings(rate: 8000), for: URL(fileURLWithPath: "/a.opus"))
  #expect(encoding.rate(for: input) == 8000)
  #expect(throws: RetrogradeError.self) {
    try OutputSettings(rate: 44_100).validate(for: URL(fileURLWithPath: "/a.opus"))
  }
  #expect(throws: RetrogradeError.self) {
    try OutputSettings(bits: 32).validate(for: URL(fileURLWithPath: "/a.flac"))
  }
}

private let fades: [(Double, Double, Double, Double, Double)] = [
  // fade-in, fade-out, duration; expected: end of the fade-in, start of the fade-out (in s)
  (1, 2, 10, 1, 8), (0, 2, 10, 0, 8), (6, 6, 10, 6, 6), (20, 1, 10, 10, 10), (0, 20, 10, 0, 0),
]

@Test(arguments: fades)
func soundRisesBeforeItFalls(
  rise: Double, fall: Double, duration: Double, risen: Double, falls: Double
) {
  let edit = AudioEdit().with(\.fadeIn, .seconds(rise)).with(\.fadeOut, .seconds(fall))
  let times = edit.fadeTimes(in: .seconds(duration))
  #expect(times.risen == .seconds(risen) && times.falls == .seconds(falls))
}
