// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import FoundationEssentials
import Glibc
import Retrograde

/// Plays files, with a screen and keys where there is a terminal.
struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Plays files, forwards or backwards, at any speed.",
    discussion: """
      In a terminal it shows the file's outline and obeys keys; press ? for them. Where the \
      output is no terminal it prints the position twice a second, and ends with the last file.

      EXAMPLES
        retrograde play song.mp3
        retrograde play --reverse --factor 1.5 *.flac
        retrograde play --loop 0:12.5-0:14 song.mp3
        retrograde play --sink file:heard.wav song.mp3
      """)

  @Argument(help: "The files, played one after the other.", completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp(
      """
      Where the sound goes: auto (the sound device), silent (nowhere, in real time), \
      file:NAME.wav (a new file, in real time), or elements of GStreamer's.
      """, valueName: "sink"))
  var sink = "auto"

  @Flag(help: "Play backwards, from the end.")
  var reverse = false

  @Option(
    help: "How many times as long it lasts, 0.01 … 100; below 1 is faster.",
    transform: ScaleFactor.init(argument:))
  var factor = ScaleFactor.one

  @Flag(help: "Keep the pitch, whatever the factor.")
  var keepPitch = false

  @Option(
    parsing: .unconditional, help: "Move the pitch by so many semitones, -24 to 24.")
  var semitones = 0.0

  @Option(help: "How values between two frames are found.")
  var interpolation = AudioEdit.Interpolation.sinc

  @Option(help: "The channels that are heard.")
  var channels = AudioEdit.Channels.all

  @Option(
    help: ArgumentHelp(
      "Repeat this part of the first file, in seconds or as 1:02.5.", valueName: "A-B"),
    transform: Region.init(argument:))
  var loop: Region?

  func validate() throws {
    guard (-24...24).contains(semitones) else {
      throw ValidationError("A pitch must move by -24 to 24 semitones; choose another.")
    }
  }

  func run() async throws {
    let errors = StandardError()
    let terminal = Terminal()
    let input = TerminalInput(keys: terminal == nil ? nil : STDIN_FILENO)
    let player = await makePlayer()
    let session = PlaySession(
      files.map { AudioFile(URL(fileURLWithPath: $0)) }, with: player, model: model,
      isInteractive: terminal != nil
    ) {
      if let terminal { ScreenDisplay(terminal) } else { LineDisplay(errors: errors) }
    }
    session.preparation = preparation
    let ending = await session.run(input)
    SignalPipe.close()
    await session.close()
    if terminal != nil || session.display == nil { tell(session.failures, errors) }
    if case .signal(let signal) = ending { SignalPipe.endProgram(by: signal) }
    if !session.failures.isEmpty { throw ExitCode.failure }
  }

  /// What went wrong was in the message line for a while only.
  private func tell(_ failures: [RetrogradeError], _ errors: StandardError) {
    for failure in failures {
      let isWithoutDevice = failure.code == .deviceUnavailable && sink == "auto"
      errors.say(isWithoutDevice ? Self.noDevice : failure.message)
    }
  }

  private static let noDevice =
    "No sound device was found; play silently with --sink silent, or into a file with "
    + "--sink file:NAME.wav."
}

// MARK: - What the options make

extension PlayCommand {
  private func makePlayer() async -> AudioPlayer {
    let player = AudioPlayer(sink: Self.sink(sink))
    await player.turn(reverse ? .reverse : .forward)
    await player.setFactor(factor)
    await player.setPitch(pitch)
    await player.setInterpolation(interpolation)
    await player.setChannels(channels)
    return player
  }

  private var pitch: AudioEdit.Pitch {
    AudioEdit.Pitch(isKept: keepPitch, semitones: semitones)
  }

  static func sink(_ text: String) -> AudioPlayer.Sink {
    switch text {
    case "auto": .automatic
    case "silent": .silent
    case let text where text.hasPrefix("file:"):
      .file(URL(fileURLWithPath: String(text.dropFirst("file:".count))))
    default: .custom(text)
    }
  }

  private var model: PlayModel {
    var model = PlayModel(count: files.count)
    model.direction = reverse ? .reverse : .forward
    model.factor = factor
    model.pitch = pitch
    model.interpolation = interpolation
    model.channels = channels
    if let loop {
      model.loopMode = .repeat
      model.markerStart = loop.range.lowerBound
      // "12-" goes to the end, wherever that is
      model.markerStop = loop.stop
    }
    return model
  }

  private var preparation: [PlayAction] {
    guard loop != nil else { return [] }
    let loop = model.loop
    guard !reverse else { return [.loop(loop)] + (loop.stop.map { [.seek($0)] } ?? []) }
    return [.loop(loop), .seek(loop.start)]
  }
}
