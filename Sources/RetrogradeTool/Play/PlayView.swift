// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// Draws the model as lines of a screen. If there's too little room, we leave out the least
/// important ones.
struct PlayView {
  let model: PlayModel
  let size: (columns: Int, rows: Int)

  static let help = """
      space        play or pause             j l     backward, forward, and at each
      left right   back, forward: 5 s                press faster: 1, 2, 4, 8
      and Shift    back, forward: 1 s        k       pause; then j, l: half speed
      PgDn PgUp    back, forward: 30 s       , .     pause 40 ms back, forward
      Home End     to the start, the end     a b     loop from here, to here
      r            change direction          A B     its start, end: 10 ms back
      K            keep the pitch: on, off   ^A ^B   10 ms on (with Ctrl)
      < >          lower, higher: semitone   x       no markers, no loop
      up down      volume                    L       loop: off, repeat, ping-pong
      + - 0        faster, slower, normal    m       channels: all, first, merged
      n p Enter    next, previous, next      i       interpolation
      c            compare with original     w       write what you hear
      ?            these keys                q       quit, and say where
    """

  /// The levels of a waveform cell, from empty to full.
  static let bars: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// A line for each row.
  var lines: [String] {
    if model.isHelpShown {
      let keys = Self.help.split(separator: "\n").map(String.init)
      return (0..<max(size.rows - 1, 0)).map { styled($0 < keys.count ? keys[$0] : "", .plain) }
        + kept([(0, footer)])
    }
    let above = kept([(2, title), (5, styled(facts, .dim))])
    let below = kept([
      (4, markers), (0, styled(status, .bold)), (3, styled(settings, .plain)), (1, footer),
    ])
    return above + wave(rows: size.rows - above.count - below.count) + below
  }

  /// The lines that there's room for. The one with rank 0 is the most important.
  private func kept(_ lines: [(rank: Int, text: String)]) -> [String] {
    lines.filter { $0.rank < size.rows }.map(\.text)
  }

  private func styled(_ text: String, _ style: Style) -> String {
    text.padded(to: size.columns).styled(style)
  }

  // MARK: - Lines of text

  private var title: String {
    let tags = model.track.tags
    let names = [tags.title, tags.title == nil ? nil : tags.artist].compactMap(\.self)
    let name = names.isEmpty ? model.track.name : names.joined(separator: " – ")
    let counter = model.count > 1 ? "  \(model.index + 1)/\(model.count)" : ""
    return name.printable.padded(to: size.columns - counter.columns).styled(.bold)
      + counter.fitted(to: size.columns).styled(.dim)
  }

  private var facts: String {
    [model.track.tags.title == nil ? "" : model.track.name, model.track.facts]
      .filter { !$0.isEmpty }.joined(separator: ", ").printable
  }

  private var status: String {
    let duration = model.track.duration > .zero ? " / \(model.track.duration.deckClock)" : ""
    return [
      "\(sign) \(model.position.deckClock)\(duration)", model.direction.rawValue,
      "speed \(model.speed.short)", "volume \(model.volume) %",
    ].joined(separator: "  ")
  }

  private var sign: String {
    switch model.transport {
    case .playing: model.direction == .forward ? "▶" : "◀"
    case .paused: "‖"
    case .opening, .ended, .failed: "■"
    }
  }

  private var settings: String {
    let channels = "\(model.channels.rawValue) channel" + (model.channels == .first ? "" : "s")
    return ([loop] + pitch + [channels, model.interpolation.name]).joined(separator: ", ")
  }

  private var pitch: [String] {
    guard !model.isOriginal else { return ["original, c goes back"] }
    let semitones = model.pitch.semitones
    let follows = model.factor == .one || semitones != 0 ? [] : ["pitch follows, K keeps it"]
    return (model.pitch.isKept ? ["pitch kept"] : follows)
      + (semitones == 0 ? [] : ["\(semitones > 0 ? "+" : "")\(semitones.short) semitones"])
  }

  private var loop: String {
    let (region, mode) = (model.region, model.loopMode)
    guard model.hasMarkers else { return mode == .none ? "no loop" : "\(mode.rawValue) all" }
    let ends = [region.lowerBound, region.upperBound].map(\.preciseClock)
    return "\(mode == .none ? "markers" : mode.rawValue) \(ends.joined(separator: "–"))"
  }

  private var footer: String {
    let message = model.message.printable.fitted(to: size.columns)
    let keys = [
      message.isEmpty ? "? help" : "  ? help", "q quit", "space play", "← → scrub", "r turn",
      "a b L loop", "+ − speed", "w write", "n p files",
    ]
    let rest = keys.joined(separator: "  ").padded(to: size.columns - message.columns)
    return message.styled(.message) + rest.styled(.dim)
  }

  // MARK: - The waveform

  private func column(of position: Duration) -> Int? {
    guard model.track.duration > .zero, size.columns > 0 else { return nil }
    let column = Int(saturating: position / model.track.duration * Double(size.columns))
    return min(max(column, 0), size.columns - 1)
  }

  private var markerColumns: ClosedRange<Int>? {
    guard model.hasMarkers, let start = column(of: model.region.lowerBound),
      let stop = column(of: model.region.upperBound)
    else { return nil }
    return start...max(stop, start)
  }

  /// A line with a character and a style for each column.
  private func line(_ cell: (Int) -> (Character, Style)) -> String {
    var (line, last) = ("", Style?.none)
    for (character, style) in (0..<max(size.columns, 0)).map(cell) {
      line += style == last ? "" : style.sequence
      line.append(character)
      last = style
    }
    return line
  }

  private func wave(rows: Int) -> [String] {
    let (playhead, markers) = (column(of: model.position), markerColumns)
    let steps = Self.bars.count - 1
    let levels = levels(upTo: rows * steps)
    return (0..<max(rows, 0)).reversed().map { height in
      line { column in
        if column == playhead { return ("│", .playhead) }
        let part = min(max(levels[column] - height * steps, 0), steps)
        return (Self.bars[part], markers?.contains(column) == true ? .loop : .wave)
      }
    }
  }

  /// The highest peak of each column. The highest one of the file is at `limit`.
  private func levels(upTo limit: Int) -> [Int] {
    let peaks = model.track.peaks
    guard let loudest = peaks.max(), loudest > 0 else {
      return Array(repeating: 0, count: max(size.columns, 0))
    }
    return (0..<max(size.columns, 0)).map { column in
      let start = column * peaks.count / size.columns
      let stop = max((column + 1) * peaks.count / size.columns, start + 1)
      let peak = peaks[start..<min(stop, peaks.count)].max() ?? 0
      return Int(saturating: (Double(peak / loudest) * Double(limit)).rounded())
    }
  }

  private var markers: String {
    let (playhead, markers) = (column(of: model.position), markerColumns)
    return line { column in
      if column == playhead { return ("▲", .playhead) }
      guard let markers, markers.contains(column) else { return (" ", .plain) }
      let isEnd = column == markers.lowerBound
      return (isEnd ? "[" : column == markers.upperBound ? "]" : "─", .loop)
    }
  }
}
