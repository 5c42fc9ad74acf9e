// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// Converts lines to bytes for a terminal. Only lines that have changed are sent. Each has to fill its
/// row.
struct Screen {
  private var size = (columns: 0, rows: 0)
  private var shown: [String] = []

  /// Forgets what the terminal shows, so that ``draw(_:size:)`` sends everything.
  mutating func forget() { size = (0, 0) }

  mutating func draw(_ lines: [String], size: (columns: Int, rows: Int)) -> String {
    var output = ""
    if size != self.size {
      output = "\u{1B}[0m\u{1B}[2J"
      shown = lines.map { _ in "" }
      self.size = size
    }
    for (row, (old, new)) in zip(shown, lines).enumerated() where old != new {
      output += "\u{1B}[\(row + 1);1H" + new
    }
    shown = lines
    return output
  }
}
