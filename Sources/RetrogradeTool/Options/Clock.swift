// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser

/// A time as people write it: "12.5", "3:30", "1:02:03.25".
struct Clock: Sendable, Equatable {
  var time: Duration

  /// Seconds, minutes and seconds, or hours, minutes and seconds; nil for anything else, and for
  /// more than 30 years.
  init?(_ text: Substring) {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count <= 3, fields.allSatisfy({ Self.isNumber($0) }) else { return nil }
    var seconds = 0.0
    for field in fields {
      guard let value = Double(field) else { return nil }
      seconds = seconds * 60 + value
    }
    guard seconds < 1e9 else { return nil }
    time = .seconds(seconds)
  }

  /// The value of an option like `--length`, which is more than 0.
  init(argument: String) throws {
    guard let clock = Clock(argument[...]), clock.time > .zero else {
      throw ValidationError("Write a time above 0 in seconds, or as 3:30 or 1:02:03.")
    }
    self = clock
  }

  private static func isNumber(_ field: Substring) -> Bool {
    !field.isEmpty && field.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
  }
}
