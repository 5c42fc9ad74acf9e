// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import RetrogradeTool

@Suite struct RegionTests {
  @Test(arguments: [
    ("1-2", 1.0, 2.0), ("0.25-0.75", 0.25, 0.75), ("1:30-1:45.5", 90, 105.5),
    ("1:02:03-2:00:00", 3723, 7200), ("-3", 0, 3), ("0-0.001", 0, 0.001),
  ])
  func isReadAsPeopleWriteTimes(text: String, start: Double, stop: Double) throws {
    let range = try Range(argument: text)
    #expect(range == .seconds(start) ..< .seconds(stop))
  }

  @Test func withoutAnEndGoesBeyondEveryFile() throws {
    let range = try Range(argument: "10-")
    #expect(range.lowerBound == .seconds(10))
    #expect(range.upperBound > .seconds(1_000_000))
  }

  @Test(arguments: [
    "", "-", "5", "2-1", "1-1", "1-2-3", "a-b", "1:2:3:4-", "1e5-", "-1-2", ":-", "1:-2", ".-1",
    "99999999999999999999-", "0x1-2", "１-2",
  ])
  func isRefusedWhereItIsNone(text: String) {
    #expect(throws: (any Error).self) { try Range(argument: text) }
  }

  @Test(arguments: [
    ("2-1", "The part ends before it begins; write a later end."),
    ("1-1", "The part ends where it begins; write a later end."),
    ("5", "Write it as A-B, A- or -B, in seconds or as 1:30."),
  ])
  func theReasonIsReported(text: String, reason: String) {
    do { _ = try Range(argument: text) } catch { #expect("\(error)".contains(reason)) }
  }
}
