// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import RetrogradeTool

@Suite struct ProgressBarTests {
  /// The pace if 50 s of 100 s of sound have been processed in 10 s.
  let half = Pace(JobProgress(fraction: 0.5, seconds: 50), elapsed: .seconds(10))

  @Test func paceShowsSpeedAndRemainingTime() {
    #expect(half.speed == 5)
    #expect(half.remaining == 10)
    #expect(half.text == "50 %, 5.0 × real time, 0:10 left")
  }

  @Test func paceKnowsNothingAtTheStart() {
    let start = Pace(JobProgress(fraction: 0, seconds: 0), elapsed: .zero)
    #expect(start.speed == nil && start.remaining == nil)
    #expect(start.text == "0 %")
  }

  @Test func hoursAreLeft() {
    let slow = Pace(JobProgress(fraction: 0.01, seconds: 1), elapsed: .seconds(100))
    #expect(slow.text == "1 %, 0.0 × real time, 2:45:00 left")
  }

  @Test func lineHasNameBarAndPace() {
    let bar = ProgressBar(name: "song.mp3", pace: half)
    #expect(
      bar.line(width: 63) == "song.mp3 [#########.........] 50 %, 5.0 × real time, 0:10 left")
  }

  @Test(arguments: 0...120)
  func lineFitsEveryWidth(width: Int) {
    let bar = ProgressBar(name: "a name that is rather long.flac", pace: half)
    #expect(bar.line(width: width).count <= width)
  }

  @Test func longNamesAreShortened() {
    let bar = ProgressBar(name: String(repeating: "n", count: 300), pace: half)
    #expect(bar.line(width: 50).hasSuffix("n…: 50 %, 5.0 × real time, 0:10 left"))
  }

  @Test(arguments: [
    ("plain ü 漢", "plain ü 漢"), ("a\nb\u{1B}[2Jc\u{7F}\u{9B}", "a?b?[2Jc??"), ("", ""),
  ])
  func controlCharactersAreNotPrinted(text: String, printed: String) {
    #expect(text.printable == printed)
  }
}
