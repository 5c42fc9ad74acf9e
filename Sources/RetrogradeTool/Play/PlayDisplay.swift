// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

protocol PlayDisplay {
  mutating func show(_ model: PlayModel)
  mutating func say(_ sentence: String)
  /// Restores the terminal so that other programs, such as a shell, can use it until ``resume()``.
  mutating func suspend()
  mutating func resume()
  mutating func redraw()
}

/// Shows the model on the screen of the terminal.
struct ScreenDisplay: PlayDisplay {
  private let terminal: Terminal
  private var screen = Screen(hasColor: Terminal.hasColor)
  private let glyphs = Terminal.isUnicode ? Glyphs.unicode : Glyphs.ascii

  init(_ terminal: Terminal) {
    self.terminal = terminal
    terminal.enter()
  }

  mutating func show(_ model: PlayModel) {
    let frame = PlayView(model: model, size: terminal.size, glyphs: glyphs).frame
    let output = screen.draw(frame)
    if !output.isEmpty { terminal.write(output) }
  }

  /// The message line of the model already shows the sentence.
  mutating func say(_ sentence: String) {}

  mutating func suspend() { terminal.leave() }

  mutating func resume() {
    terminal.enter()
    redraw()
  }

  mutating func redraw() { screen.forget() }
}

/// Shows the model as lines, for pipes and for terminals without a screen.
struct LineDisplay: PlayDisplay {
  private let errors: StandardError
  private var shown: PlayModel?
  private var nextLine = ContinuousClock.now

  private static let interval = Duration.milliseconds(500)

  init(errors: StandardError) { self.errors = errors }

  /// Writes a line twice a second, and whenever anything but the position has changed.
  mutating func show(_ model: PlayModel) {
    guard model.transport != .opening, model.transport != .failed else { return }
    let isNew = shown.map { !$0.isLike(model) } ?? true
    guard isNew || ContinuousClock.now >= nextLine else { return }
    shown = model
    nextLine = .now + Self.interval
    let line = Array((Self.line(model) + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
  }

  /// The name of the file comes last, because it may contain any characters.
  static func line(_ model: PlayModel) -> String {
    [
      "\(model.position.deckClock) / \(model.track.duration.deckClock)",
      model.transport == .playing ? model.direction.rawValue : "\(model.transport)",
      "speed \(model.speed.short)", model.track.name.printable,
    ].joined(separator: "  ")
  }

  func say(_ sentence: String) { errors.say(sentence) }

  func suspend() {}
  func resume() {}
  func redraw() {}
}

extension PlayModel {
  fileprivate func isLike(_ other: PlayModel) -> Bool {
    track.name == other.track.name && transport == other.transport
      && direction == other.direction && speed == other.speed
  }
}
