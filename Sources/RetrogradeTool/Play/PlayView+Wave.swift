// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension PlayView {
  private func column(of position: Duration) -> Int? {
    guard model.track.duration > .zero, size.columns > 0 else { return nil }
    let column = Int(saturating: position / model.track.duration * Double(size.columns))
    return min(max(column, 0), size.columns - 1)
  }

  /// The highest peak in a column, divided by the highest peak of the file: 0 … 1.
  private func peak(of column: Int, loudest: Float) -> Double {
    let peaks = model.track.peaks
    guard !peaks.isEmpty, loudest > 0 else { return 0 }
    let start = column * peaks.count / size.columns
    let stop = max((column + 1) * peaks.count / size.columns, start + 1)
    return Double((peaks[start..<min(stop, peaks.count)].max() ?? 0) / loudest)
  }

  func drawWave(on rows: Range<Int>, in frame: inout Frame) {
    let steps = Self.bars.count - 1
    let loudest = model.track.peaks.max() ?? 0
    for column in 0..<size.columns {
      let level = Int(
        saturating: (peak(of: column, loudest: loudest) * Double(rows.count * steps)).rounded())
      for (height, row) in rows.reversed().enumerated() {
        let part = min(max(level - height * steps, 0), steps)
        frame.put(String(Self.bars[part]), row: row, column: column, style: style(of: column))
      }
    }
    guard let playhead = column(of: model.position) else { return }
    for row in rows {
      frame.put("│", row: row, column: playhead, style: .color(.red, isBold: true))
    }
  }

  private func style(of column: Int) -> Style {
    guard let (start, stop) = markerColumns else { return .color(.cyan) }
    return (start...stop).contains(column) ? .color(.green, isBold: true) : .color(.cyan)
  }

  private var markerColumns: (Int, Int)? {
    guard model.markerStart != nil || model.markerStop != nil,
      let start = column(of: model.region.lowerBound),
      let stop = column(of: model.region.upperBound)
    else { return nil }
    return (start, max(stop, start))
  }

  func drawMarkers(at row: Int, in frame: inout Frame) {
    if let (start, stop) = markerColumns {
      let line = String(repeating: "─", count: stop - start + 1)
      frame.put(line, row: row, column: start, style: .color(.green))
      frame.put("[", row: row, column: start, style: .color(.green, isBold: true))
      frame.put("]", row: row, column: stop, style: .color(.green, isBold: true))
    }
    if let playhead = column(of: model.position) {
      frame.put("▲", row: row, column: playhead, style: .color(.red, isBold: true))
    }
  }
}
