// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// Shows the model on the screen of the terminal or, without one, as lines, for pipes.
struct PlayDisplay {
  private let terminal: Terminal?
  private let errors: StandardError
  private var screen = Screen(hasColor: Terminal.hasColor)
  private var shown: PlayModel?
  private var nextLine = ContinuousClock.now

  private static let interval = Duration.milliseconds(500)

  init(_ terminal: Terminal?, errors: StandardError) {
    (self.terminal, self.errors) = (terminal, errors)
    terminal?.enter()
  }

  mutating func show(_ model: PlayModel) {
    guard let terminal else { return showLine(model) }
    let output = screen.draw(PlayView(model: model, size: terminal.size).frame)
    if !output.isEmpty { terminal.write(output) }
  }

  /// Writes a line twice a second, and whenever anything but the position has changed.
  private mutating func showLine(_ model: PlayModel) {
    guard model.transport != .opening, model.transport != .failed else { return }
    let isNew = shown.map { !$0.isLike(model) } ?? true
    guard isNew || ContinuousClock.now >= nextLine else { return }
    (shown, nextLine) = (model, .now + Self.interval)
    Console.output.write(Self.line(model) + "\n")
  }

  /// The name of the file comes last, because it may contain any characters.
  private static func line(_ model: PlayModel) -> String {
    [
      "\(model.position.deckClock) / \(model.track.duration.deckClock)",
      model.transport == .playing ? model.direction.rawValue : "\(model.transport)",
      "speed \(model.speed.short)", model.track.name.printable,
    ].joined(separator: "  ")
  }

  /// The message line of a screen already shows the sentence.
  func say(_ sentence: String) { if terminal == nil { errors.say(sentence) } }

  /// Restores the terminal so that other programs, such as a shell, can use it until ``resume()``.
  func suspend() { terminal?.leave() }

  mutating func resume() {
    terminal?.enter()
    screen.forget()
  }
}

extension PlayModel {
  fileprivate func isLike(_ other: PlayModel) -> Bool {
    track.name == other.track.name && transport == other.transport
      && direction == other.direction && speed == other.speed
  }
}
