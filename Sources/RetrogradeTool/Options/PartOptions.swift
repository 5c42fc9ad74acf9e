// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser

struct PartOptions: ParsableArguments, Sendable {
  @Option(
    "Only the part from A to B, in seconds or as 1:30; A or B may be left out.", value: "A-B",
    as: Range.init(argument:))
  var region: Range<Duration>?

  @Option("Only the last part, in seconds or as 1:30.", value: "time", as: Duration.argument)
  var last: Duration?

  @Flag(help: "Also keep what is before and after the part.")
  var keepRest = false

  func check() throws {
    if region != nil, last != nil {
      throw ValidationError("--region and --last both choose a part; use one of them.")
    }
    if keepRest, region == nil, last == nil {
      throw ValidationError("--keep-rest needs a part: --region A-B, or --last.")
    }
  }
}
