// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

/// Whether the options are accepted; what is refused must say so as an argument.
private func isAccepted(_ edit: Edit) -> Bool {
  do throws(RetrogradeError) {
    try edit.check()
    return true
  } catch {
    #expect(error.code == .invalidArgument)
    #expect(error.message.hasSuffix("choose another."))
    return false
  }
}

@Test(arguments: [0.01, 0.5, 1, 2, 100])
func factorInRangeIsAccepted(factor: Double) {
  #expect(isAccepted(Edit(factor: factor)))
}

@Test(arguments: [0, -1, 0.009_999, 100.000_1, 1e9, .infinity, -.infinity, .nan])
func factorOutOfRangeIsRefused(factor: Double) {
  #expect(!isAccepted(Edit(factor: factor)))
}

@Test func pitchMovesByTwoOctavesAtMost() {
  #expect(isAccepted(Edit(pitch: .kept)))
  #expect([-24, -0.5, 0, 24].allSatisfy { isAccepted(Edit(pitch: Pitch(semitones: $0))) })
  #expect(![-24.1, 25, .infinity, .nan].contains { isAccepted(Edit(pitch: Pitch(semitones: $0))) })
}

@Test func qualitiesGoFrom0To10() {
  #expect((0...10).allSatisfy { isAccepted(Edit(quality: $0)) })
  #expect(!isAccepted(Edit(quality: -1)))
  #expect(!isAccepted(Edit(quality: 11)))
}

@Test func regionBeginsAt0OrLaterAndHasALength() {
  #expect(isAccepted(Edit(region: .zero ..< .nanoseconds(1))))
  #expect(!isAccepted(Edit(region: .seconds(1) ..< .seconds(1))))
  #expect(!isAccepted(Edit(region: .nanoseconds(-1) ..< .seconds(1))))
}

@Test func regionBehindTheEndOfTheFileIsRefused() async throws {
  let short = Sounds.file("short.wav")  // 1.500385 s
  let information = try await short.information()
  let edit = Edit(region: .seconds(1.4) ..< .seconds(9))
  try edit.check(against: information, of: short)
  let late = Edit(region: .seconds(1.6) ..< .seconds(9))
  let error = #expect(throws: RetrogradeError.self) {
    try late.check(against: information, of: short)
  }
  #expect(error?.code == .invalidArgument)
  #expect(error?.message.hasPrefix("short.wav: it ends at 1.5") == true)
}

@Test func directionHasAnOpposite() {
  #expect(Direction.forward.opposite == .reverse)
  #expect(Direction.reverse.opposite == .forward)
}
