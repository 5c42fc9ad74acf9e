// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// We show the help in place of the waveform.

extension PlayView {
  static let keys: [(key: String, meaning: String)] = [
    ("space", "play, pause"), ("← →", "scrub (Pg: far)"), ("j k l", "shuttle, stop"),
    (", .", "step"), ("r", "direction"), ("↑ ↓", "volume"), ("+ − 0", "speed, 1"),
    ("K", "keep pitch"), ("< >", "semitones"), ("c", "hear original"), ("a b x", "loop a-b, off"),
    ("A ^A", "nudge a; B: b"), ("L", "loop mode"), ("n p w", "files, write"), ("m", "channels"),
    ("i", "interpolation"),
  ]

  private static let keyWidth = 6
  private static let columnWidth = 20
  var helpColumns: Int { max(size.columns / Self.columnWidth, 1) }

  /// Fills column by column, and leaves out entries that don't fit. The keys for help and quit are
  /// in the last row of the screen.
  func drawHelp(on rows: Range<Int>, in frame: inout Frame) {
    guard !rows.isEmpty else { return }
    for (index, entry) in Self.keys.prefix(rows.count * helpColumns).enumerated() {
      let column = index / rows.count * Self.columnWidth
      let row = rows.lowerBound + index % rows.count
      frame.put(entry.key, row: row, column: column, style: .bold)
      frame.put(entry.meaning, row: row, column: column + Self.keyWidth)
    }
  }
}
