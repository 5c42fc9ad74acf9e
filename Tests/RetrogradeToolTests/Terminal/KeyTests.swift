// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import RetrogradeTool

@Suite struct KeyTests {
  private func keys(_ text: String) -> [Key] {
    var parser = KeyParser()
    return parser.feed(text.utf8)
  }

  @Test(arguments: [
    ("q", [Key.character("q")]), (" [+", [.character(" "), .character("["), .character("+")]),
    ("\u{1B}[D\u{1B}[C", [.left, .right]), ("\u{1B}OA\u{1B}OB", [.up, .down]),
    ("\u{1B}[1~\u{1B}[4~\u{1B}[H\u{1B}[F", [.home, .end, .home, .end]),
    ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]), ("\r\n", [.enter, .enter]),
    ("\u{01}\u{02}", [.control("a"), .control("b")]), ("\u{1B}", []),
    ("\u{1B}\u{1B}[C", [.right]), ("\u{1B}q", [.character("q")]), ("\u{1B}[1;5C", [.right]),
    ("\u{1B}[1;2C\u{1B}[1;2D", [.shiftRight, .shiftLeft]),
  ])
  func `Bytes become the keys that were pressed`(text: String, expected: [Key]) {
    #expect(keys(text) == expected)
  }

  @Test(arguments: [
    "\u{1B}[200~", "\u{1B}[?62;c", "ä−😀", "\u{1B}[", "\u{1B}O", "\u{7}", "\u{7F}",
    "\u{1B}[<0;1;1M",
  ])
  func `An unknown sequence is no key, nor are its parts`(text: String) {
    #expect(keys(text).isEmpty)
  }

  @Test func `An arrow that comes byte by byte is one key`() {
    var parser = KeyParser()
    #expect(parser.feed([0x1B]).isEmpty)
    #expect(parser.feed([0x5B]).isEmpty)
    #expect(parser.feed([0x43]) == [.right])
  }

  @Test func `A sequence without an end does not grow for ever`() {
    var parser = KeyParser()
    #expect(parser.feed([0x1B, 0x5B] + Array(repeating: 0x31, count: 100)).isEmpty)
    #expect(parser.feed("q".utf8) == [.character("q")])
  }

  @Test func `Any bytes are survived`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      var parser = KeyParser()
      let bytes = (0..<8).map { _ in
        [0x1B, 0x5B, 0x4F, 0xE2, UInt8.random(in: 0...255, using: &random)].randomElement(
          using: &random) ?? 0
      }
      _ = parser.feed(bytes)
      // the first may complete a sequence
      #expect(parser.feed("qq".utf8).last == .character("q"))
    }
  }
}

/// Returns the same numbers in every run (the generator of "Numerical Recipes").
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
