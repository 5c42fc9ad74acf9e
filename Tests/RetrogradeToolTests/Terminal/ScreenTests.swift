// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import RetrogradeTool

/// A terminal that only understands the sequences of `Screen`.
private struct PlainTerminal {
  var rows: [[Character]]
  var isInvalid = false

  init(_ size: ScreenSize) {
    rows = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
  }

  mutating func obey(_ output: String) {
    var row = 0
    var column = 0
    var rest = Substring(output)
    while let character = rest.popFirst() {
      guard character == "\u{1B}" else {
        rows[row][column] = character
        for _ in 1..<max(character.columns, 1) { rows[row][column + 1] = "\u{0}" }
        column += character.columns
        continue
      }
      let end = rest.firstIndex { $0.isLetter } ?? rest.startIndex
      let numbers = rest[..<end].dropFirst().split(separator: ";").compactMap { Int($0) }
      switch rest[end] {
      case "H": (row, column) = (numbers[0] - 1, numbers[1] - 1)
      case "J": rows = rows.map { $0.map { _ in " " } }
      case "m": break
      default: isInvalid = true
      }
      rest = rest[rest.index(after: end)...]
    }
  }

  var text: [String] { rows.map { String($0.filter { $0 != "\u{0}" }) } }
}

@Suite struct ScreenTests {
  private let size = ScreenSize(columns: 30, rows: 4)

  private func frame(_ lines: [String], _ style: Style = .plain) -> Frame {
    var frame = Frame(size: size)
    for (row, line) in lines.enumerated() { frame.put(line, row: row, style: style) }
    return frame
  }

  private func expected(_ frame: Frame) -> [String] {
    frame.rows.map { String($0.compactMap(\.character)) }
  }

  @Test func `The frame is drawn, whatever was there before`() {
    let frames = [
      frame(["one", "two", "three 日本語"]), frame(["on", "", "three 日本x", "end"], .bold),
      frame([]), frame(["日本語日本語日本語", "a"]), frame(["a日本語日本語日本語", "b"]),
    ]
    var screen = Screen(hasColor: true)
    var terminal = PlainTerminal(size)
    for frame in frames {
      terminal.obey(screen.draw(frame))
      #expect(terminal.text == expected(frame))
    }
    #expect(!terminal.isInvalid)
  }

  @Test func `Nothing is sent when nothing has changed`() {
    var screen = Screen(hasColor: true)
    _ = screen.draw(frame(["one"]))
    #expect(screen.draw(frame(["one"])) == "")
  }

  @Test func `One changed cell costs a few bytes`() {
    var screen = Screen(hasColor: true)
    _ = screen.draw(frame([String(repeating: "x", count: 30)]))
    var changed = frame([String(repeating: "x", count: 30)])
    changed.put("y", row: 0, column: 20)
    #expect(screen.draw(changed) == "\u{1B}[1;21Hy")
  }

  @Test func `After another size, or on request, all is drawn`() {
    var screen = Screen(hasColor: true)
    _ = screen.draw(frame(["one"]))
    let other = Frame(size: ScreenSize(columns: 5, rows: 2))
    #expect(screen.draw(other).contains("\u{1B}[2J"))
    _ = screen.draw(frame(["one"]))
    screen.forget()
    #expect(screen.draw(frame(["one"])).contains("one"))
  }

  @Test func `Colours are left out where they are not wanted, and nothing else is`() {
    let style = Style(color: .red, isBold: true, isDim: true)
    #expect(style.sequence(hasColor: true) == "\u{1B}[0;1;2;31m")
    #expect(style.sequence(hasColor: false) == "\u{1B}[0;1;2m")
  }

  @Test func `Text that does not fit is cut, never written beyond the frame`() {
    var frame = Frame(size: ScreenSize(columns: 5, rows: 1))
    frame.put("日本語", row: 0)
    frame.put("x", row: 3)
    frame.put("x", row: -1)
    frame.put("x", row: 0, column: -1)
    frame.put("x", row: 0, column: 9)
    #expect(frame.text == ["日本"])
    #expect(Frame(size: ScreenSize(columns: 0, rows: 0)).text == [])
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
