// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// We show the help in place of the waveform.

extension PlayView {
  private var help: [(key: String, meaning: String)] { Self.keys(glyphs) }

  static func keys(_ glyphs: Glyphs) -> [(key: String, meaning: String)] {
    [
      ("space", "play, pause"), (glyphs.arrows, "scrub (Pg: far)"), ("j k l", "shuttle, stop"),
      (", .", "step"), ("r", "direction"), (glyphs.upDown, "volume"),
      ("+ \(glyphs.minus) 0", "speed, 1"), ("K", "keep pitch"), ("< >", "semitones"),
      ("[ ] x", "markers, none"), ("L", "loop mode"), ("n p", "files"), ("m", "channels"),
      ("i", "interpolation"), ("w", "write to file"), ("? q", "help, quit"),
    ]
  }

  private static let keyWidth = 6
  private static let columnWidth = 20

  /// Column by column. If there's no room for an entry, we leave it out.
  func drawHelp(on rows: Range<Int>, in frame: inout Frame) {
    guard !rows.isEmpty else { return }
    for (index, entry) in help.enumerated() {
      let column = index / rows.count * Self.columnWidth
      let row = rows.lowerBound + index % rows.count
      frame.put(entry.key, row: row, column: column, style: .bold)
      frame.put(entry.meaning, row: row, column: column + Self.keyWidth)
    }
  }
}
