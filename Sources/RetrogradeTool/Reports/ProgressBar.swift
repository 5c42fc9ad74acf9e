// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

struct ProgressBar {
  /// Either "song.mp3", or "2 of 5 files".
  var name: String
  var progress: AudioFile.Progress

  private static let shortest = 10
  private static let longest = 40

  /// At most `width` characters. If there's too little room, we drop the bar first and then the
  /// name.
  func line(width: Int) -> String {
    let text = progress.text
    let room = width - text.count - 1
    guard room > 0 else { return String(text.prefix(max(width, 0))) }
    let barRoom = min(room - name.count - 4, Self.longest)
    if barRoom >= Self.shortest { return "\(name) [\(bar(barRoom))] \(text)" }
    guard room > 2 else { return text }
    return "\(shortName(room - 1)): \(text)"
  }

  private func bar(_ length: Int) -> String {
    let done = min(max(Int(saturating: progress.fraction * Double(length)), 0), length)
    return String(repeating: "#", count: done) + String(repeating: ".", count: length - done)
  }

  private func shortName(_ length: Int) -> String {
    name.count <= length ? name : name.prefix(length - 1) + "…"
  }
}

extension AudioFile.Progress {
  /// For example "42 %, 35.2 × real time, 0:12 left".
  var text: String {
    var parts = ["\(Int(saturating: fraction * 100)) %"]
    let times =
      speed < 10 ? "\((speed * 10).rounded() / 10)" : "\(Int(saturating: speed.rounded()))"
    if speed > 0 { parts.append("\(times) × real time") }
    if let remaining { parts.append("\(remaining.clock) left") }
    return parts.joined(separator: ", ")
  }
}
