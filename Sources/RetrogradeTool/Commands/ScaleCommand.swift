// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// `retrograde scale`: longer or shorter, higher or lower.
struct ScaleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scale",
    abstract: "Writes audio files anew, stretched or squeezed in time, or at another pitch.",
    discussion: """
      Examples:
        retrograde scale --factor 2 song.mp3      twice as long: song-scaled.mp3
        retrograde scale --factor 0.5 song.wav    half as long, an octave higher
        retrograde scale --tempo 1.5 speech.mp3   half as fast again, same pitch
        retrograde scale --semitones -2 song.wav  a tone lower, the same length
        retrograde scale --factor 1.5 *.flac -o slow/ --type opus --bitrate 96

      \(JSONReport.help(verifies: false))
      """)

  @Argument(help: "The files to scale.", completion: .file()) var inputs: [String]

  @Option(
    parsing: .unconditional,
    help: "New length / old length, 0.01 to 100; below 1 is shorter and faster.",
    transform: ScaleFactor.init(argument:))
  var factor: ScaleFactor?

  @Option(
    parsing: .unconditional,
    help: "Speed at the pitch it has, 0.01 to 100: --tempo 2 is --keep-pitch --factor 0.5.",
    transform: ScaleFactor.init(speedArgument:))
  var tempo: ScaleFactor?

  @Flag(help: "Keep the pitch, whatever the factor; else it follows, as that of a tape.")
  var keepPitch = false

  @Option(
    parsing: .unconditional,
    help: "Move the pitch by so many semitones, -24 to 24; 12 is an octave.")
  var semitones = 0.0

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Sound") var sound: SoundOptions
  @OptionGroup(title: "Run") var run: RunOptions

  @Option(help: "How values between two frames are found.")
  var interpolation = AudioEdit.Interpolation.sinc

  @Option(parsing: .unconditional, help: "Length of the filter of sinc, 0 to 10.")
  var quality = 6

  @Option(
    help: "Each frame at its exact time (stream), or the first and the last kept (endpoints).")
  var alignment = AudioEdit.Alignment.stream

  func validate() throws {
    guard factor == nil || tempo == nil else {
      throw ValidationError("Both --factor and --tempo say how long it is to be; choose one.")
    }
    guard factor != nil || tempo != nil || semitones != 0 else {
      throw ValidationError("Say what is to change: --factor, --tempo or --semitones.")
    }
  }

  func run() async throws {
    var edit = sound.edit
    edit.factor = tempo ?? factor ?? .one
    edit.pitch = AudioEdit.Pitch(isKept: keepPitch || tempo != nil, semitones: semitones)
    edit.interpolation = interpolation
    edit.quality = quality
    edit.alignment = alignment
    let work = FileWork(edit: edit, output: output, isVerified: false)
    try await run.perform(work, on: inputs, suffix: "scaled")
  }
}
