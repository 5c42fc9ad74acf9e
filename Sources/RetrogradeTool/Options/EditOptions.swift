// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// The options that `reverse` and `scale` share.
struct EditOptions: ParsableArguments, Sendable {
  @OptionGroup(title: "Speed and pitch") var time: TimeOptions
  @OptionGroup(title: "Part") var part: PartOptions
  @OptionGroup(title: "Volume, fades, channels and effects") var sound: SoundOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Run") var run: RunOptions

  /// Throws if options contradict each other, or if we can't create an effect.
  func request() throws -> EditRequest {
    try time.check()
    try part.check()
    try sound.check()
    try output.check(time, part)
    var request = try sound.request(makesPeaks: time.changes)
    (request.edit.region, request.edit.keepsRest) = (part.region?.range, part.keepRest)
    request.last = part.last?.time
    time.apply(to: &request)
    return request
  }
}
