// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// Shows the model on the screen of the terminal or, without one, as lines, for pipes.
struct PlayDisplay {
  private let terminal = Terminal()
  private var screen = Screen()
  private var shown: PlayModel?
  private var nextLine = ContinuousClock.now

  private static let interval = Duration.milliseconds(500)

  /// True if there's a screen, and somebody who can press keys.
  var isInteractive: Bool { terminal != nil }

  /// Call it before you show anything, and again after ``leave()`` or after another program has
  /// used the terminal.
  mutating func enter() {
    terminal?.enter()
    screen.forget()
  }

  /// Restores the terminal so that other programs, such as a shell, can use it.
  func leave() { terminal?.leave() }

  mutating func show(_ model: PlayModel) {
    guard let terminal else { return showLine(model) }
    let size = Console.output.size
    let output = screen.draw(PlayView(model: model, size: size).lines, size: size)
    if !output.isEmpty { terminal.write(output) }
  }

  /// Writes a line twice a second, and whenever anything but the position has changed.
  private mutating func showLine(_ model: PlayModel) {
    guard model.transport != .opening, model.transport != .failed else { return }
    let isNew = shown.map { !$0.isLike(model) } ?? true
    guard isNew || ContinuousClock.now >= nextLine else { return }
    (shown, nextLine) = (model, .now + Self.interval)
    // the name of the file comes last, because it may contain any characters
    Console.output.writeLine(
      [
        "\(model.position.deckClock) / \(model.track.duration.deckClock)",
        model.transport == .playing ? model.direction.rawValue : "\(model.transport)",
        "speed \(model.speed.short)", model.track.name,
      ].joined(separator: "  "))
  }

  /// The message line of a screen already shows the sentence.
  func say(_ sentence: String) { if !isInteractive { Console.error.complain(sentence) } }
}

extension PlayModel {
  fileprivate func isLike(_ other: PlayModel) -> Bool {
    track.name == other.track.name && transport == other.transport
      && direction == other.direction && speed == other.speed
  }
}
