// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

struct TimeOptions: ParsableArguments, Sendable {
  @OptionGroup var speeds: SpeedOptions

  @Option("The new length, in seconds or as 3:30.", value: "time", as: Duration.argument)
  var length: Duration?

  @Option(
    "Change the speed from A to B beats per minute: 92:120 is --speed 120/92.", value: "A:B",
    as: ScaleFactor.init(beatsArgument:))
  var bpm: ScaleFactor?

  @Option(
    help: ArgumentHelp(
      """
      A time map: a file in which each line has a time in the input and its time in the output. \
      After the last one, --factor, --speed or --tempo applies.
      """, valueName: "file"), completion: .file())
  var map: FilePath?

  @Option(
    """
    For scale: a curve of the speed, -8 to 8, with times of the new file and speeds, and straight \
    lines between them. After the last one, its speed applies; at 0, the file ends.
    """, value: "T:S,T:S,…", as: SpeedCurve.init(argument:))
  var curve: SpeedCurve?

  @Option(parsing: .unconditional, help: "Filter length of sinc, 0 to 10.")
  var quality = 6

  @Option(
    help: """
      stream puts each sample at its exact time; endpoints keeps the first and the last sample.
      """)
  var alignment = AudioEdit.Alignment.stream

  var changes: Bool { !lengths.isEmpty || map != nil || speeds.moves }

  /// The options among those given that set the length.
  var lengths: [String] {
    speeds.lengths
      + [("--length", length != nil), ("--bpm", bpm != nil), ("--curve", curve != nil)]
      .filter(\.1).map(\.0)
  }

  /// Throws if two options set the same thing.
  func check() throws {
    try speeds.check(lengths)
    if map != nil, let length = lengths.first(where: ["--length", "--bpm", "--curve"].contains) {
      throw ValidationError("--map and \(length) both set the length; use one of them.")
    }
  }

  func apply(to request: inout EditRequest) {
    request.edit.factor = speeds.scale ?? bpm ?? .one
    request.edit.pitch = speeds.pitch
    request.mapFile = map
    request.edit.speedCurve = curve
    request.edit.interpolation =
      speeds.interpolation == .sinc ? .sinc(quality: quality) : speeds.interpolation
    request.edit.alignment = alignment
    request.length = length
  }
}
