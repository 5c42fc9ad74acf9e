// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde

/// Whether the library accepts the edit. If it throws an error, the error must name an argument.
private func isAccepted(_ edit: AudioEdit) -> Bool {
  do throws(RetrogradeError) {
    try edit.validate()
    return true
  } catch {
    #expect(error.code == .invalidArgument)
    #expect(error.message.hasSuffix("choose another."))
    return false
  }
}

@Test func pitchMovesByTwoOctavesAtMost() {
  #expect(isAccepted(AudioEdit(pitch: .kept)))
  #expect(
    [-24, -0.5, 0, 24].allSatisfy { isAccepted(AudioEdit(pitch: Pitch(semitones: $0))) })
  #expect(
    ![-24.1, 25, .infinity, .nan].contains {
      isAccepted(AudioEdit(pitch: Pitch(semitones: $0)))
    })
}

@Test func formantsMoveByTwoOctavesAtMost() {
  func isAccepted(_ semitones: Double) -> Bool {
    RetrogradeTests.isAccepted(
      AudioEdit(pitch: Pitch(formants: .keep, formantSemitones: semitones)))
  }
  #expect([-24, -0.5, 0, 24].allSatisfy(isAccepted))
  #expect(![-24.1, 25, .infinity, .nan].contains(where: isAccepted))
}

@Test func qualitiesGoFrom0To10() {
  #expect((0...10).allSatisfy { isAccepted(AudioEdit().with(\.interpolation, .sinc(quality: $0))) })
  #expect(!isAccepted(AudioEdit().with(\.interpolation, .sinc(quality: -1))))
  #expect(!isAccepted(AudioEdit().with(\.interpolation, .sinc(quality: 11))))
}

@Test func regionBeginsAt0OrLaterAndHasALength() {
  #expect(isAccepted(AudioEdit(region: .zero ..< .nanoseconds(1))))
  #expect(!isAccepted(AudioEdit(region: .seconds(1) ..< .seconds(1))))
  #expect(!isAccepted(AudioEdit(region: .nanoseconds(-1) ..< .seconds(1))))
}

@Test func regionAfterTheEndOfTheFileIsRefused() async throws {
  let short = Sounds.file("short.wav")  // 1.500385 s
  let information = try await short.information()
  let edit = AudioEdit(region: .seconds(1.4) ..< .seconds(9))
  try edit.validate(against: information, of: short)
  let late = AudioEdit(region: .seconds(1.6) ..< .seconds(9))
  let error = #expect(throws: RetrogradeError.self) {
    try late.validate(against: information, of: short)
  }
  #expect(error?.code == .invalidArgument)
  #expect(error?.message.hasPrefix("short.wav: the file ends at 1.5") == true)
}

@Test func directionHasAnOpposite() {
  #expect(Direction.forward.opposite == .reverse)
  #expect(Direction.reverse.opposite == .forward)
}
