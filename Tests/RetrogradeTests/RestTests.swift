// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

private func song(_ seconds: Double?) -> AudioInformation {
  AudioInformation(
    duration: seconds.map { .seconds($0) }, rate: 1000, channels: 2, layout: [],
    sampleFormat: "S16LE", isLossy: false, codec: "PCM", tags: AudioTags())
}

private func edit(
  _ start: Double, _ stop: Double, factor: Double = 1, _ direction: Direction = .reverse
) throws -> AudioEdit {
  AudioEdit(
    region: .seconds(start) ..< .seconds(stop), direction: direction,
    factor: try ScaleFactor(factor), channels: .first
  ).with(\.keepsRest, true)
}

@Test func restIsReadAsItIs() throws {
  let edited = try edit(2, 3.5)
  #expect(
    edited.parts(of: song(10)) == [
      AudioEdit(region: .zero ..< .seconds(2), channels: .first), edited,
      AudioEdit(region: .seconds(3.5) ..< .seconds(1_000_000_000), channels: .first),
    ])
}

@Test func nothingIsReadWhereNothingIs() throws {
  #expect(try edit(0, 3).parts(of: song(10)).count == 2)
  for whole in [try edit(0, 10), try edit(0, 99), try edit(5, 9).with(\.keepsRest, false)] {
    #expect(whole.parts(of: song(10)) == [whole])
  }
}

private let durations: [(Double, Double, Double, Double)] = [
  (2, 4, 1, 10), (2, 4, 2, 12), (2, 4, 0.5, 9), (8, 99, 3, 14), (0, 10, 2, 20),
]

@Test(arguments: durations)
func durationIsThatOfAllParts(start: Double, stop: Double, factor: Double, seconds: Double) throws {
  let edit = try edit(start, stop, factor: factor)
  #expect(abs(song(10).duration(after: edit) / .seconds(1) - seconds) < 1e-9)
  #expect(song(10).duration(usedBy: edit) == .seconds(10))
}
