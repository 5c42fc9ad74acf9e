// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Converts frames to bytes for a terminal. Only cells that have changed are sent.
struct Screen {
  let hasColor: Bool
  private var shown: Frame?
  private var style: Style?

  init(hasColor: Bool) { self.hasColor = hasColor }

  /// Forgets what the terminal shows, so that ``draw(_:)`` sends the next frame in full.
  mutating func forget() {
    shown = nil
    style = nil
  }

  mutating func draw(_ frame: Frame) -> String {
    var output = ""
    if shown?.size != frame.size {
      output += style(.plain) + "\u{1B}[2J"
      shown = Frame(size: frame.size)
    }
    guard let before = shown else { return output }
    for (row, (old, new)) in zip(before.rows, frame.rows).enumerated() {
      let changed = new.indices.filter { new[$0] != old[$0] }
      guard let first = changed.first, let last = changed.last else { continue }
      output += "\u{1B}[\(row + 1);\(first + 1)H"
      for cell in new[first...last] {
        guard let character = cell.character else { continue }
        output += style(cell.style) + String(character)
      }
    }
    shown = frame
    return output
  }

  private mutating func style(_ wanted: Style) -> String {
    guard wanted != style else { return "" }
    style = wanted
    return wanted.sequence(hasColor: hasColor)
  }
}
