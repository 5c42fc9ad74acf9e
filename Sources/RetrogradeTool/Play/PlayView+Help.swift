// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The help, in place of the outline.

extension PlayView {
  private var help: [(key: String, meaning: String)] {
    [
      ("space", "play, pause"), (glyphs.arrows, "scrub"), ("home end", "go there"),
      ("r", "turn around"), ("+ \(glyphs.minus)", "factor"), ("0", "factor 1"),
      ("[ ]", "set markers"), ("x", "clear markers"), ("l", "loop mode"), ("n p", "files"),
      ("m", "channels"), ("i", "interpolation"), ("w", "write what is heard"), ("?", "help"),
      ("q", "quit"),
    ]
  }

  /// Column by column, as many as there is room for.
  func drawHelp(on rows: ClosedRange<Int>, in frame: inout Frame) {
    let keyWidth = 10
    let width = keyWidth + (help.map(\.meaning.columns).max() ?? 0) + 2
    for (index, entry) in help.enumerated() {
      let (column, row) = (index / rows.count * width, rows.lowerBound + index % rows.count)
      frame.put(entry.key, row: row, column: column, style: .bold)
      frame.put(entry.meaning, row: row, column: column + keyWidth)
    }
  }
}
