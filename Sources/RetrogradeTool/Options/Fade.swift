// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser

struct Fade: Sendable, Equatable {
  var rise, fall: Duration

  /// Parses "2" (both fades), "2,5" (fade-in and fade-out), and "2," or ",5" (only one of them).
  /// Times are written as in other options.
  init(argument: String) throws {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let times = parts.map { $0.isEmpty ? .zero : Clock($0)?.time }
    guard (1...2).contains(times.count), argument != ",", let first = times.first ?? nil,
      let last = times.last ?? nil, !argument.isEmpty
    else {
      throw ValidationError(#"Write "2" for both fades, "2,5" for each, or "2," or ",5" for one."#)
    }
    (rise, fall) = (first, last)
  }
}
