// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser

/// Parsers for option values with an optional unit.
enum Quantity {
  /// The value of `--gain`: "-6", "-6dB", "-6 dB".
  static func decibels(argument: String) throws -> Double {
    guard let gain = number(argument, units: ["db": 1]) else {
      throw ValidationError("Write decibels: -6 or -6dB.")
    }
    return gain
  }

  /// The value of `--rate`: "44100", "44.1k", "44.1 kHz".
  static func rate(argument: String) throws -> Int {
    let rate = number(argument, units: ["hz": 1, "k": 1000, "khz": 1000])
    guard let rate, let whole = Int(exactly: rate.rounded()), abs(rate - rate.rounded()) < 1e-6
    else { throw ValidationError("Write a sample rate in Hz: 44100 or 44.1k.") }
    return whole
  }

  /// The value of `--semitones`: "-2", "1.5st", "50 cents".
  static func semitones(argument: String) throws -> Double {
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
