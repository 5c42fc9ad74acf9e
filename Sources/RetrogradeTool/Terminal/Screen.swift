// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Converts frames to bytes for a terminal. Only cells that have changed are sent.
struct Screen {
  let hasColor: Bool
  private var shown: Frame?
  private var style: Style?

  /// We send up to this many unchanged cells between two changed ones again, because that takes
  /// fewer bytes than moving the cursor.
  private static let cheapGap = 6

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
    for (row, cells) in frame.rows.enumerated() where cells != before.rows[row] {
      for run in Self.changes(from: before.rows[row], to: cells) {
        output += "\u{1B}[\(row + 1);\(run.lowerBound + 1)H"
        for cell in cells[run] {
          guard let character = cell.character else { continue }
          output += style(cell.style) + String(character)
        }
      }
    }
    shown = frame
    return output
  }

  private static func changes(from old: [Frame.Cell], to new: [Frame.Cell]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for column in new.indices where new[column] != old[column] {
      if let last = runs.last, column - last.upperBound <= cheapGap {
        runs[runs.count - 1] = last.lowerBound..<column + 1
      } else {
        runs.append(column..<column + 1)
      }
    }
    return runs
  }

  private mutating func style(_ wanted: Style) -> String {
    guard wanted != style else { return "" }
    style = wanted
    return wanted.sequence(hasColor: hasColor)
  }
}
