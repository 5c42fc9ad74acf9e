// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde
import Testing

@testable import RetrogradeTool

@Suite struct ProgressTests {
  /// The progress if 50 s of 100 s of sound have been processed in 10 s.
  let half = AudioFile.Progress(
    fraction: 0.5, elapsed: .seconds(10), inputDuration: .seconds(100))

  @Test func textHasSpeedAndRemainingTime() {
    #expect(half.text == "50 %, 5.0 × real time, 0:10 left")
  }

  @Test func nothingIsKnownAtTheStart() {
    let start = AudioFile.Progress(fraction: 0, elapsed: .zero, inputDuration: .seconds(100))
    #expect(start.text == "0 %")
  }

  @Test func hoursAreLeft() {
    let slow = AudioFile.Progress(
      fraction: 0.01, elapsed: .seconds(100), inputDuration: .seconds(100))
    #expect(slow.text == "1 %, 0.0 × real time, 2:45:00 left")
  }

  @Test(arguments: [
    ("plain ü 漢", "plain ü 漢"), ("a\nb\u{1B}[2Jc\u{7F}\u{9B}", "a?b?[2Jc??"), ("", ""),
  ])
  func controlCharactersAreNotPrinted(text: String, printed: String) {
    #expect(text.printable == printed)
  }
}
