// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

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
