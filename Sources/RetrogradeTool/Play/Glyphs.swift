// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The characters that we draw the screen with.
struct Glyphs: Sendable {
  /// The levels of a waveform cell, from empty to full.
  var bars: [Character]
  var playhead: Character
  var marker: Character
  var between: Character
  var forward: String
  var reverse: String
  var paused: String
  var ended: String
  var arrows: String
  var upDown: String
  var minus: String
  var dash: String
  var ellipsis: Character

  static let unicode = Glyphs(
    bars: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"], playhead: "│", marker: "▲",
    between: "─", forward: "▶", reverse: "◀", paused: "‖", ended: "■", arrows: "← →",
    upDown: "↑ ↓", minus: "−", dash: "–", ellipsis: "…")

  static let ascii = Glyphs(
    bars: [" ", ".", ":", "#"], playhead: "|", marker: "^", between: "-", forward: ">",
    reverse: "<", paused: "=", ended: ".", arrows: "<- ->", upDown: "up dn",
    minus: "-", dash: "-", ellipsis: "~")
}
