// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser

/// A part of a file as people write it: "12.5-20", "1:30-1:45", "0:10-".
struct Region: Equatable {
  var range: Range<Duration>

  /// Longer than any file; what a region without an end goes to.
  private static let farAway = Duration.seconds(1_000_000_000)
}

extension Region: ExpressibleByArgument {
  init?(argument: String) {
    let ends = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, argument.count > 1 else { return nil }
    guard let start = ends[0].isEmpty ? .zero : Self.time(ends[0]),
      let stop = ends[1].isEmpty ? Self.farAway : Self.time(ends[1]), start < stop
    else { return nil }
    range = start..<stop
  }

  /// Seconds, minutes and seconds, or hours, minutes and seconds.
  private static func time(_ text: Substring) -> Duration? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count <= 3, fields.allSatisfy(isNumber) else { return nil }
    var seconds = 0.0
    for field in fields {
      guard let value = Double(field) else { return nil }
      seconds = seconds * 60 + value
    }
    let time = Duration.seconds(min(seconds, 1e9))
    return time < farAway ? time : nil
  }

  private static func isNumber(_ field: Substring) -> Bool {
    !field.isEmpty && field.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
  }
}
