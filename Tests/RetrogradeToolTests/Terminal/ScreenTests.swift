// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import RetrogradeTool

@Suite struct ScreenTests {
  @Test func `Only lines that have changed are sent`() {
    var screen = Screen()
    func line(_ row: Int, _ text: String) -> String { "\u{1B}[\(row);1H\(text)" }
    let all = screen.draw(["one", "", "three"], size: (5, 3))
    #expect(all == "\u{1B}[0m\u{1B}[2J" + line(1, "one") + line(3, "three"))
    #expect(screen.draw(["one", "", "three"], size: (5, 3)) == "")
    #expect(screen.draw(["one", "two", ""], size: (5, 3)) == line(2, "two") + line(3, ""))
  }

  @Test func `After another size, or on request, all is drawn`() {
    var screen = Screen()
    let all = screen.draw(["one"], size: (5, 1))
    #expect(screen.draw(["one"], size: (6, 1)) == all)
    screen.forget()
    #expect(screen.draw(["one"], size: (6, 1)) == all)
  }

  @Test(arguments: [
    ("short", 10, "short"), ("much too long", 5, "much…"), ("日本語", 5, "日本…"), ("日本語", 6, "日本語"),
    ("ab", 1, "…"), ("ab", 0, ""), ("", 0, ""),
  ])
  func `Text is cut to columns, with an ellipsis`(text: String, width: Int, expected: String) {
    #expect(text.fitted(to: width) == expected)
    #expect(text.fitted(to: width).columns <= max(width, 0))
  }

  @Test func `Control characters do not reach a terminal`() {
    let nasty = "a\u{1B}[2J\u{9B}31mb\r\n\u{7}\u{202E}c\u{2028}d"
    #expect(!nasty.printable.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x9B })
    #expect(!nasty.printable.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x2028 })
    let harmless = "Ünïcödé 日本 😀 می\u{200C}خواهم 👨\u{200D}👩\u{200D}👧"
    #expect(harmless.printable == harmless)
  }
}
