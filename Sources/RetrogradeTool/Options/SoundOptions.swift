// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

struct SoundOptions: ParsableArguments, Sendable {
  @Option(help: "Keep all channels, only the first, or mix them to mono.")
  var channels = AudioEdit.Channels.all

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only the part from A to B, in seconds or as 1:30; A or B may be left out.",
      valueName: "A-B"),
    transform: Region.init(argument:))
  var region: Region?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only the last part, in seconds or as 1:30.", valueName: "time"),
    transform: Clock.init(argument:))
  var last: Clock?

  @Flag(help: "Also keep what is before and after the part.")
  var keepRest = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Change the level by this; below 0 is quieter.", valueName: "dB"),
    transform: Quantity.decibels)
  var gain = 0.0

  @Flag(
    help: "Bring the loudest sample to full scale, then apply --gain: -1 leaves 1 dB of headroom.")
  var normalize = false

  @Flag(
    name: .customLong("guard"),
    help: """
      If samples would be clipped, make the whole sound quieter. (default: only the peaks, if the \
      length or the pitch changes or an effect is added, but not with --gain or --normalize)
      """)
  var isGuarded = false

  @Flag(name: .customLong("no-guard"), help: "Keep the level, even if samples are clipped.")
  var isUnguarded = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Fade in and out: 2 is both, 2,5 is 2 s in and 5 s out, and ,5 only out.",
      valueName: "in,out"),
    transform: Fade.init(argument:))
  var fade: Fade?

  @OptionGroup var effects: EffectOptions

  func check() throws {
    if region != nil, last != nil {
      throw ValidationError("--region and --last both choose a part; use one of them.")
    }
    if isGuarded, isUnguarded {
      throw ValidationError("--guard and --no-guard contradict each other; use one of them.")
    }
    if keepRest, region == nil, last == nil {
      throw ValidationError("--keep-rest needs a part: --region A-B, or --last.")
    }
  }

  /// With `makesPeaks`, the edit may make samples louder even without effects. Throws if we can't
  /// create an effect.
  func request(makesPeaks: Bool) throws -> EditRequest {
    let effects = try effects.effects()
    let makesPeaks = makesPeaks || !effects.isEmpty
    var edit = AudioEdit(region: region?.range, channels: channels, effects: effects)
    (edit.gain, edit.normalizes, edit.keepsRest) = (gain, normalize, keepRest)
    let keepsLevel = gain == 0 && !normalize && !isUnguarded
    edit.peaks = isGuarded ? .guarded : makesPeaks && keepsLevel ? .limited : .clipped
    (edit.fadeIn, edit.fadeOut) = (fade?.rise ?? .zero, fade?.fall ?? .zero)
    return EditRequest(edit: edit, last: last?.time)
  }
}
