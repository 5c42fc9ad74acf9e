// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// The options for the names, types and formats of the new files.
struct OutputOptions: ParsableArguments, Sendable {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The new file, a folder, or - for standard output. (default: the current folder)",
      valueName: "file or folder"),
    completion: .file())
  var output: String?

  @Option(
    help: """
      The type of the new file; same: that of the input; avfoundation: the one that applications \
      of AVFoundation would write, M4A for MP3 and FLAC. (default: by the name in -o, else same)
      """)
  var type: TypeChoice?

  @Option(help: "The codec, if the type can hold several.")
  var codec: OutputSettings.Codec?

  @Option(
    name: .customLong("bitrate"), parsing: .unconditional,
    help: ArgumentHelp(
      "8 to 512 for lossy codecs, or same. (default: same, if the codec stays the same)",
      valueName: "kbit/s"))
  var bitRate: BitRateChoice?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Bits per sample, for lossless codecs: 8, 16, 24, 32.", valueName: "bits"))
  var bits: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The sample rate: 44100 or 44.1k.", valueName: "Hz"),
    transform: Quantity.rate)
  var rate: Int?

  @Flag(
    help: """
      Keep the video of a film as it is, with the new sound: mp4, m4v, mov, mkv, webm. \
      The length must not change.
      """)
  var keepVideo = false

  @Flag(name: .shortAndLong, help: "Replace existing files.")
  var force = false

  /// Throws if the video is to be kept but the sound would not have the same length.
  func check(_ time: TimeOptions, _ sound: SoundOptions) throws {
    guard keepVideo else { return }
    if let option = time.lengths.first {
      throw ValidationError(
        "--keep-video needs sound that stays as long as the video; leave out \(option).")
    }
    if sound.region != nil || sound.last != nil, !sound.keepRest {
      throw ValidationError(
        "--keep-video needs sound that stays as long as the video; add --keep-rest.")
    }
    if type != nil {
      throw ValidationError(
        "--keep-video takes the container from the name of the new file; leave out --type.")
    }
  }

  /// The output settings, as far as the options determine them without the input; `type` is the
  /// type of the job.
  func settings(type: OutputSettings.FileType?) -> OutputSettings {
    var settings = OutputSettings(
      type: type, codec: codec, bits: bits, rate: rate, replacesExisting: force,
      keepsVideo: keepVideo)
    if case .bits(let bits) = bitRate { settings.bitRate = bits }
    return settings
  }
}
