// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

extension SpeedCurve {
  /// For `--curve`: "0:1,5:1,5.5:-6". The points may also be on separate lines.
  init(argument: String) throws {
    let points = try argument.split { $0 == "," || $0.isWhitespace }.map { text in
      guard let colon = text.lastIndex(of: ":"), let clock = Clock(text[..<colon]),
        let speed = Double(text[text.index(after: colon)...])
      else {
        throw ValidationError(
          "Write times and speeds as in 0:1,5:1,5.5:-6 (a speed of 1 up to 5 s, and -6 at 5.5 s).")
      }
      return Point(time: clock.time, speed: speed)
    }
    try self.init(points)
  }
}
