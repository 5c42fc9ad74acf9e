// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde
import Testing

@Test(arguments: [0.01, 0.5, 1, 2, 100])
func factorInRangeIsAccepted(factor: Double) throws {
  #expect(try ScaleFactor(factor).value == factor)
  #expect(try ScaleFactor(factor).speed == 1 / factor)
  #expect(try ScaleFactor(speed: factor).value == 1 / factor)
  #expect(ScaleFactor(clamping: factor).value == factor)
}

@Test(arguments: [0, -1, 0.009_999, 100.000_1, 1e9, .infinity, -.infinity, .nan])
func factorOutOfRangeIsRefused(factor: Double) {
  let error = #expect(throws: RetrogradeError.self) { try ScaleFactor(factor) }
  #expect(error?.code == .invalidArgument)
  #expect(error?.message.hasSuffix("choose another.") == true)
  #expect(throws: RetrogradeError.self) { try ScaleFactor(speed: factor) }
}

@Test(arguments: [(1000, 100.0), (0, 0.01), (-Double.infinity, 0.01), (.infinity, 100), (.nan, 1)])
func factorOfASliderIsMovedIntoTheRange(asked: Double, given: Double) {
  #expect(ScaleFactor(clamping: asked).value == given)
}
