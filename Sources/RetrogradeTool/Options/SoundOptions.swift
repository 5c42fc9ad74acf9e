// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

struct SoundOptions: ParsableArguments, Sendable {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Change the volume by this; below 0 is quieter.", valueName: "dB"))
  var gain = 0.0

  @Flag(
    help: "Bring the loudest sample to full scale, then apply --gain: -1 leaves 1 dB of headroom.")
  var normalize = false

  @Flag(
    name: .customLong("guard"), inversion: .prefixedNo, exclusivity: .exclusive,
    help: """
      If samples would be clipped, make the whole sound quieter, or don't. (default: only the \
      peaks, if the length or the pitch changes or an effect is added, but not with --gain or \
      --normalize)
      """)
  var isGuarded: Bool?

  @Option(
    "Fade in and out: 2 is both, 2,5 is 2 s in and 5 s out, and ,5 only out.", value: "in,out",
    as: Duration.fades)
  var fade: (rise: Duration, fall: Duration)?

  @Option(help: "Keep all channels, only the first, or mix them to mono.")
  var channels = AudioEdit.Channels.all

  @OptionGroup var effects: EffectOptions

  /// `makesPeaks` means that the edit may raise peaks even without effects. Throws if we can't
  /// create an effect.
  func request(makesPeaks: Bool) throws -> EditRequest {
    let effects = try effects.effects()
    let makesPeaks = makesPeaks || !effects.isEmpty
    var edit = AudioEdit(channels: channels, effects: effects)
    (edit.gain, edit.normalizes) = (gain, normalize)
    let isLimited = isGuarded == nil && makesPeaks && gain == 0 && !normalize
    edit.peaks = isGuarded == true ? .guarded : isLimited ? .limited : .clipped
    (edit.fadeIn, edit.fadeOut) = (fade?.rise ?? .zero, fade?.fall ?? .zero)
    return EditRequest(edit: edit)
  }
}
