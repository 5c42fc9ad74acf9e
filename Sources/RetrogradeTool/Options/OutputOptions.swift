// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

struct OutputOptions: ParsableArguments, Sendable {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The new file, a folder, or - for standard output. (default: the current folder)",
      valueName: "file or folder"),
    completion: .file())
  var output: FilePath?

  @Option(
    help: """
      The type of the new file. (default: set by the name in -o, otherwise the type of the input)
      """)
  var type: OutputSettings.FileType?

  @Option(help: "The codec, if the type can hold several.")
  var codec: OutputSettings.Codec?

  @Option(
    name: .customLong("bitrate"), parsing: .unconditional,
    help: ArgumentHelp(
      "The bit rate of lossy codecs, 8 to 512, or same. (default: same, if the codec stays the same)",
      valueName: "kbit/s"))
  var bitRate: BitRate?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Bits per sample, for lossless codecs: 8, 16, 24, 32.", valueName: "bits"))
  var bits: Int?

  @Option(parsing: .unconditional, help: ArgumentHelp("The sample rate.", valueName: "Hz"))
  var rate: Int?

  @Flag(
    help: """
      Copy the pictures of a video (mp4, m4v, mov, mkv, webm) unchanged, with the new sound. The \
      length of the sound must not change.
      """)
  var keepVideo = false

  @Flag(help: "Also process files that are cut off, as far as they can be decoded.")
  var incomplete = false

  @Flag(name: .shortAndLong, help: "Replace existing files.")
  var force = false

  /// The video can only be kept if the sound keeps its length.
  func check(_ time: TimeOptions, _ part: PartOptions) throws {
    guard keepVideo else { return }
    if let option = time.lengths.first {
      throw ValidationError(
        "--keep-video needs sound that stays as long as the video; leave out \(option).")
    }
    if part.region != nil || part.last != nil, !part.keepRest {
      throw ValidationError(
        "--keep-video needs sound that stays as long as the video; add --keep-rest.")
    }
    if type != nil {
      throw ValidationError(
        "--keep-video takes the container from the name of the new file; leave out --type.")
    }
  }

  /// Leaves out the settings that depend on the input. `type` is the type of the job.
  func settings(type: OutputSettings.FileType?) -> OutputSettings {
    OutputSettings(
      type: type, codec: codec, bitRate: bitRate?.bits, bits: bits, rate: rate,
      replacesExisting: force, keepsVideo: keepVideo, acceptsIncomplete: incomplete)
  }
}
