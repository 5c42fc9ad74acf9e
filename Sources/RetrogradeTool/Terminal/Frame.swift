// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

struct ScreenSize: Equatable, Sendable {
  var columns: Int
  var rows: Int
}

struct Frame: Equatable, Sendable {
  struct Cell: Equatable, Sendable {
    /// Nil for the right half of a wide character.
    var character: Character?
    var style: Style

    static let blank = Cell(character: " ", style: .plain)
  }

  let size: ScreenSize
  private(set) var rows: [[Cell]]

  init(size: ScreenSize) {
    self.size = size
    let row = [Cell](repeating: .blank, count: max(size.columns, 0))
    rows = [[Cell]](repeating: row, count: max(size.rows, 0))
  }

  /// Writes text starting at `column`, and cuts it off at the end of the row. Returns the column
  /// after the text.
  @discardableResult
  mutating func put(_ text: String, row: Int, column: Int = 0, style: Style = .plain) -> Int {
    guard rows.indices.contains(row), column >= 0 else { return column }
    var column = column
    for character in text {
      let width = character.columns
      guard column + width <= size.columns else { break }
      rows[row][column] = Cell(character: character, style: style)
      if width == 2 { rows[row][column + 1] = Cell(character: nil, style: style) }
      column += width
    }
    return column
  }

  var text: [String] {
    rows.map { row in
      var line = String(row.compactMap(\.character))
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
