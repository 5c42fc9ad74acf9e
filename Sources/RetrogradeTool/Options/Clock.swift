// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser

/// A time in common notation: "12.5", "3:30", "1:02:03.25", "1m30s", "500ms".
struct Clock: Sendable, Equatable {
  var time: Duration

  /// About 30 years.
  static let longest = Duration.seconds(1_000_000_000)

  /// Parses seconds, minutes and seconds, or hours, minutes and seconds, with or without unit
  /// letters. Returns nil for anything else, and limits the time to ``longest``.
  init?(_ text: Substring) {
    guard let seconds = Self.clockSeconds(text) ?? Self.unitSeconds(text) else { return nil }
    time = min(.seconds(saturating: seconds), Self.longest)
  }

  private static func clockSeconds(_ text: Substring) -> Double? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count <= 3, fields.allSatisfy({ isNumber($0) }) else { return nil }
    var seconds = 0.0
    for field in fields {
      guard let value = Double(field) else { return nil }
      seconds = seconds * 60 + value
    }
    return seconds
  }

  /// Parses "1h2m3.5s". Each unit may appear once, in descending order.
  private static func unitSeconds(_ text: Substring) -> Double? {
    var units: [(name: String, seconds: Double)] = [
      ("h", 3600), ("m", 60), ("s", 1), ("ms", 0.001),
    ]
    var rest = text.lowercased()[...]
    var seconds = 0.0
    while !rest.isEmpty {
      let number = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
      let name = rest.dropFirst(number.count).prefix { $0.isLetter }
      guard let value = Double(number), let index = units.firstIndex(where: { $0.name == name })
      else { return nil }
      seconds += value * units[index].seconds
      units.removeFirst(index + 1)
      rest = rest.dropFirst(number.count + name.count)
    }
    return text.isEmpty ? nil : seconds
  }

  /// For an option such as `--length`, which must be above 0.
  init(argument: String) throws {
    try self.init(fromZero: argument)
    guard time > .zero else { throw ValidationError("Write a time above 0.") }
  }

  /// For an option such as `--tail`, which may be 0.
  init(fromZero argument: String) throws {
    guard let clock = Clock(argument[...]) else {
      throw ValidationError("Write a time in seconds, or as 3:30, 1:02:03 or 1m30s.")
    }
    guard clock.time < Self.longest else {
      throw ValidationError("That is more than 30 years; write a shorter time.")
    }
    self = clock
  }

  private static func isNumber(_ field: Substring) -> Bool {
    !field.isEmpty && field.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
  }
}
