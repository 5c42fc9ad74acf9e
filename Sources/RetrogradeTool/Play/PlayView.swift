// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// Draws the model as a frame. If there's too little room, we leave out the least important rows.
struct PlayView: Sendable {
  let model: PlayModel
  let size: ScreenSize

  /// The levels of a waveform cell, from empty to full.
  static let bars: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  enum Row: Equatable, Sendable {
    case title, facts, wave, markers, status, settings, message, keys, blank
    /// The message, or the keys if there's none.
    case footer
  }

  static func rows(for height: Int) -> [Row] {
    let (above, below): ([Row], [Row]) =
      switch height {
      case ..<2: ([], [.status])
      case 2: ([], [.status, .footer])
      case 3, 4: ([.title], [.status, .footer])
      case 5, 6: ([.title], [.markers, .status, .footer])
      case 7...9: ([.title], [.markers, .status, .settings, .footer])
      case 10, 11: ([.title], [.markers, .status, .settings, .message, .keys])
      default:
        ([.title, .facts, .blank], [.markers, .status, .settings, .blank, .message, .keys])
      }
    let free = max(height - above.count - below.count, 0)
    return above + Array(repeating: .wave, count: free) + below
  }

  var frame: Frame {
    var frame = Frame(size: size)
    let rows = Self.rows(for: size.rows)
    let wave = (rows.firstIndex(of: .wave) ?? 0)..<((rows.lastIndex(of: .wave) ?? -1) + 1)
    let help = model.isHelpShown ? helpRows(wave, of: rows) : 0..<0
    for (index, row) in rows.enumerated() where !help.contains(index) {
      draw(row, at: index, in: &frame)
    }
    if model.isHelpShown {
      drawHelp(on: help, in: &frame)
    } else if !wave.isEmpty {
      drawWave(on: wave, in: &frame)
    }
    return frame
  }

  /// The waveform's rows if all keys fit there, or else all rows but the first and the last.
  private func helpRows(_ wave: Range<Int>, of rows: [Row]) -> Range<Int> {
    if wave.count * helpColumns >= Self.keys.count { return wave }
    return rows.count > 2 ? 1..<rows.count - 1 : 0..<rows.count
  }

  private func draw(_ row: Row, at index: Int, in frame: inout Frame) {
    switch row {
    case .title: drawTitle(at: index, in: &frame)
    case .facts: put(facts, at: index, .dim, in: &frame)
    case .markers: drawMarkers(at: index, in: &frame)
    case .status: put(status, at: index, .bold, in: &frame)
    case .settings: put(settings, at: index, .plain, in: &frame)
    case .message: put(model.message.printable, at: index, .color(.yellow), in: &frame)
    case .keys: put(keys, at: index, .dim, in: &frame)
    case .footer: draw(model.message.isEmpty ? .keys : .message, at: index, in: &frame)
    case .wave, .blank: break
    }
  }

  private func put(_ text: String, at row: Int, _ style: Style, in frame: inout Frame) {
    frame.put(text.fitted(to: size.columns), row: row, style: style)
  }

  private func drawTitle(at row: Int, in frame: inout Frame) {
    let counter = model.count > 1 ? "\(model.index + 1)/\(model.count)" : ""
    let room = size.columns - (counter.isEmpty ? 0 : counter.columns + 2)
    frame.put(title.fitted(to: room), row: row, style: .bold)
    frame.put(counter, row: row, column: max(size.columns - counter.columns, 0), style: .dim)
  }
}
