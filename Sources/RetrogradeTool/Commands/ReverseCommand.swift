// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// `retrograde reverse`: reverses files.
struct ReverseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reverse",
    abstract: "Reverses audio files.",
    discussion: """
      Examples:
        retrograde reverse song.mp3                   writes song-reversed.mp3
        retrograde reverse song.mp3 -o gnos.flac      the name sets the type
        retrograde reverse -r Music -o backwards/     a folder with its subfolders
        retrograde reverse talk.ogg --region 1:30-1:45 -o part.wav
        retrograde reverse talk.ogg --region 1:30-1:45 --keep-rest
        retrograde reverse --speed 2 song.wav         and twice as fast
        retrograde reverse film.mp4 --keep-video      only the sound
        curl -L URL | retrograde reverse - | mpv -    from a pipe, into a pipe
      """)

  @Argument(help: "The files to reverse.", completion: .file()) var inputs: [FilePath]
  @OptionGroup(title: "Speed and pitch") var time: TimeOptions
  @OptionGroup(title: "Part") var part: PartOptions
  @OptionGroup(title: "Volume, fades, channels and effects") var sound: SoundOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Run") var run: RunOptions

  func run() async throws {
    var request = try EditRequest(time, part, sound, output)
    request.edit.direction = .reverse
    let work = FileWork(request: request, output: output)
    try await run.perform(work, on: inputs, suffix: "reversed")
  }
}
