// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import RetrogradeTool

@Suite struct FadeTests {
  @Test(arguments: [
    ("2", 2.0, 2.0), ("2,5", 2, 5), (",5", 0, 5), ("2,", 2, 0), ("0.5,1:30", 0.5, 90), ("0", 0, 0),
  ])
  func isReadAsTwoTimes(text: String, rise: Double, fall: Double) throws {
    let fade = try Duration.fades(text)
    #expect(fade.rise == .seconds(rise) && fade.fall == .seconds(fall))
  }

  @Test(arguments: ["", ",", "x", "1,2,3", "-1", "1,x", ",,"])
  func isRefusedWhereItIsNone(text: String) {
    #expect(throws: (any Error).self) { try Duration.fades(text) }
  }
}
