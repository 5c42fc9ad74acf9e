// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// A time in common notation: "12.5", "3:30", "1:02:03.25".
extension Duration {
  /// Parses seconds, minutes and seconds, or hours, minutes and seconds. Returns nil for anything
  /// else, and limits the time to ``longest``.
  init?(clock text: Substring) {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    // not an exponent, a sign or "nan"
    let numbers = fields.compactMap { field in
      field.allSatisfy { ("0"..."9").contains($0) || $0 == "." } ? Double(field) : nil
    }
    guard numbers.count == fields.count, numbers.count <= 3 else { return nil }
    self = min(.seconds(saturating: numbers.reduce(0) { $0 * 60 + $1 }), Self.longest)
  }
}

// MARK: - Values of options

extension Duration {
  /// For an option such as `--length`.
  static func argument(_ argument: String) throws -> Duration {
    guard let time = Duration(clock: argument[...]) else {
      throw ValidationError("Write a time in seconds, or as 3:30 or 1:02:03.")
    }
    return time
  }

  /// For `--fade`: "2" (both fades), "2,5" (fade-in and fade-out), and "2," or ",5" (only one of
  /// them). Times are written as in other options.
  static func fades(_ argument: String) throws -> (rise: Duration, fall: Duration) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let times = parts.map { $0.isEmpty ? .zero : Duration(clock: $0) }
    guard (1...2).contains(times.count), argument != ",", let first = times.first ?? nil,
      let last = times.last ?? nil, !argument.isEmpty
    else {
      throw ValidationError(#"Write "2" for both fades, "2,5" for each, or "2," or ",5" for one."#)
    }
    return (first, last)
  }
}

/// A part of a file in common notation: "12.5-20", "1:30-1:45", "0:10-". Without an end,
/// it stops at ``Swift/Duration/longest``.
extension Range<Duration> {
  /// Throws the reason if the value of `--region` isn't a region.
  init(argument: String) throws {
    let ends = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, argument.count > 1,
      let start = ends[0].isEmpty ? .zero : Duration(clock: ends[0]),
      let stop = ends[1].isEmpty ? .longest : Duration(clock: ends[1])
    else {
      throw ValidationError("Write it as A-B, A- or -B, in seconds or as 1:30.")
    }
    guard start < stop else {
      throw ValidationError(
        "The part ends \(start == stop ? "where" : "before") it begins; write a later end.")
    }
    self = start..<stop
  }

  /// Nil if the part extends to the end of the file.
  var stop: Duration? { upperBound == .longest ? nil : upperBound }
}
