// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// Parsers for option values with an optional unit.
enum Quantity {
  /// The value of `--gain`: "-6", "-6dB", "-6 dB".
  static func decibels(_ argument: String) throws -> Double {
    guard let gain = number(argument, units: ["db": 1]) else {
      throw ValidationError("Write decibels: -6 or -6dB.")
    }
    return gain
  }

  /// The value of `--rate`: "44100", "44.1k", "44.1 kHz".
  static func rate(_ argument: String) throws -> Int {
    let rate = number(argument, units: ["hz": 1, "k": 1000, "khz": 1000])
    guard let rate, let whole = Int(exactly: rate.rounded()), abs(rate - rate.rounded()) < 1e-6
    else { throw ValidationError("Write a sample rate in Hz: 44100 or 44.1k.") }
    return whole
  }

  /// The value of `--semitones`: "-2", "1.5st", "50 cents".
  static func semitones(_ argument: String) throws -> Double {
    let units = [
      "st": 1, "semitone": 1, "semitones": 1, "c": 0.01, "ct": 0.01, "cent": 0.01, "cents": 0.01,
    ]
    guard let semitones = number(argument, units: units), (-24...24).contains(semitones) else {
      throw ValidationError("Write semitones from -24 to 24, as in -2, 0.5 or 50 cents.")
    }
    return semitones
  }

  /// Parses a number with an optional unit, and multiplies it by the value of the unit in `units`.
  private static func number(_ text: String, units: [String: Double]) -> Double? {
    if let number = Double(text) { return number }
    let unit = String(text.reversed().prefix { $0.isLetter }.reversed())
    let digits = text.dropLast(unit.count).reversed().drop { $0 == " " }.reversed()
    guard let number = Double(String(digits)), let worth = units[unit.lowercased()] else {
      return nil
    }
    return number * worth
  }
}

extension SpeedCurve {
  /// For `--curve`: "0:1,5:1,5.5:-6". The points may also be on separate lines.
  init(argument: String) throws {
    let points = try argument.split { $0 == "," || $0.isWhitespace }.map { text in
      guard let colon = text.lastIndex(of: ":"), let time = Duration(clock: text[..<colon]),
        let speed = Double(text[text.index(after: colon)...])
      else {
        throw ValidationError(
          "Write times and speeds as in 0:1,5:1,5.5:-6 (a speed of 1 up to 5 s, and -6 at 5.5 s).")
      }
      return Point(time: time, speed: speed)
    }
    try self.init(points)
  }
}

extension ScaleFactor {
  /// For an option such as `--factor`: "1.5", "150%", "3/2".
  init(argument: String) throws {
    try self.init(Self.number(argument))
  }

  init(speedArgument: String) throws {
    try self.init(speed: Self.number(speedArgument))
  }

  /// For `--bpm`: "92:120".
  init(beatsArgument: String) throws {
    let beats = beatsArgument.split(separator: ":", omittingEmptySubsequences: false)
      .map { Double($0) ?? 0 }
    guard beats.count == 2, beats.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw ValidationError("Write the old and the new beats per minute, as in 92:120.")
    }
    try self.init(speed: beats[1] / beats[0])
  }

  /// For `--ladder`: "60:100:5" gives the factors of 60 %, 65 % … 100 % of the speed.
  static func ladder(argument: String) throws -> [ScaleFactor] {
    let percents = argument.split(separator: ":", omittingEmptySubsequences: false)
      .compactMap { Double($0.hasSuffix("%") ? $0.dropLast() : $0) }
    guard percents.count == 3, let first = percents.first, percents[2] > 0,
      abs(percents[1] - first) / percents[2] < 1000
    else {
      throw ValidationError(
        "Write the first and the last speed in percent, and the step, as in 60:100:5.")
    }
    let steps = stride(from: 0, to: abs(percents[1] - first), by: percents[2])
      .map { percents[1] < first ? first - $0 : first + $0 }
    return try (steps + [percents[1]]).map { try ScaleFactor(speed: $0 / 100) }
  }

  private static func number(_ text: String) throws -> Double {
    if text.hasSuffix("%"), let number = Double(text.dropLast()) { return number / 100 }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    switch (parts.first ?? nil, parts.count > 1 ? parts[1] : 1, parts.count) {
    case (let above?, let below?, 1...2) where below != 0: return above / below
    default: throw ValidationError("Write a number: 1.5, 150% or 3/2.")
    }
  }
}
