// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// `retrograde scale`: changes the length or the pitch of files.
struct ScaleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scale",
    abstract: "Changes the length, the speed or the pitch of audio files.",
    discussion: """
      Examples:
        retrograde scale --factor 2 song.mp3        twice as long: song-scaled.mp3
        retrograde scale --speed 150% song.wav      faster and higher
        retrograde scale --tempo 1.5 speech.mp3     faster, at the same pitch
        retrograde scale --length 3:30 *.flac -o radio/ --keep-pitch
        retrograde scale --bpm 92:120 loop.wav      from 92 to 120 beats a minute
        retrograde scale --semitones -2 song.wav    a tone lower, the same length
        retrograde scale --semitones 4 --formants keep voice.wav
                                                    higher, but still the same person
        retrograde scale --map beats.txt --keep-pitch drums.wav
                                                    each beat at its time in the file
        retrograde scale --curve 5:1,5.5:-6,6.5:0 song.wav
                                                    a spin-back after 5 s
      """)

  @Argument(help: "The files to scale.", completion: .file()) var inputs: [FilePath]
  @OptionGroup(title: "Speed and pitch") var time: TimeOptions
  @OptionGroup(title: "Part") var part: PartOptions
  @OptionGroup(title: "Volume, fades, channels and effects") var sound: SoundOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Run") var run: RunOptions

  func run() async throws {
    let request = try EditRequest(time, part, sound, output)
    guard time.changes else {
      throw ValidationError(
        "Say what to change: --speed, --tempo, --factor, --length, --bpm, --map, --curve or --semitones."
      )
    }
    let work = FileWork(request: request, output: output)
    try await run.perform(work, on: inputs, suffix: "scaled")
  }
}
