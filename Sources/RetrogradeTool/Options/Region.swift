// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser

/// A part of a file in common notation: "12.5-20", "1:30-1:45", "0:10-", "30s-40s".
struct Region: Sendable, Equatable {
  var range: Range<Duration>

  /// The stop of a region that extends to the end of the file: later than any file ends.
  static let farAway = Clock.longest

  /// Throws the reason if the value of `--region` isn't a region.
  init(argument: String) throws {
    let ends = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, argument.count > 1,
      let start = ends[0].isEmpty ? .zero : Clock(ends[0])?.time,
      let stop = ends[1].isEmpty ? Self.farAway : Clock(ends[1])?.time
    else {
      throw ValidationError("Write it as A-B, A- or -B, in seconds or as 1:30.")
    }
    guard start < stop else {
      throw ValidationError(
        "The part ends \(start == stop ? "where" : "before") it begins; write a later end.")
    }
    range = start..<stop
  }

  var stop: Duration? { range.upperBound == Self.farAway ? nil : range.upperBound }
}
