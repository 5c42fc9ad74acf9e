// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import FoundationEssentials
import Glibc
import Retrograde

/// `retrograde play`: plays files, and in a terminal shows a screen and reads keys.
struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Plays files, forwards or backwards, at any speed.",
    usage: "retrograde play [<options>] <files> ...",
    discussion: """
      In a terminal it shows the waveform and reads keys. If standard output is not a terminal, it \
      prints the position twice a second and ends after the last file.

      Keys:
        space        play or pause             j l     backward, forward, and at each
        left right   back, forward: 5 s                press faster: 1, 2, 4, 8
          and Shift  back, forward: 1 s        k       pause; then j, l: half speed
        PgDn PgUp    back, forward: 30 s       , .     pause 40 ms back, forward
        Home End     to the start, the end     a b     loop from here, to here
        r            change direction          A B     its start, end: 10 ms back
        K            keep the pitch: on, off   ^A ^B   10 ms on (with Ctrl)
        < >          lower, higher: semitone   x       no markers, no loop
        up down      volume                    L       loop: off, repeat, ping-pong
        + - 0        faster, slower, normal    m       channels: all, first, merged
        n p Enter    next, previous, next      i       interpolation
        c            compare with original     w       write what you hear; it asks
        ?            these keys                q       quit, and say where

      Examples:
        retrograde play song.mp3
        retrograde play --reverse --speed 1.25 *.flac
        retrograde play --start 1:30 --volume 50 song.mp3
        retrograde play --loop 0:12.5-0:14 --tempo 0.75 song.mp3
        retrograde play --loop 0:12.5-0:14 --ladder 60:100:5 song.mp3
        retrograde play --backstep 2 talk.mp3
        retrograde play --sink file:played.wav song.mp3
      """)

  @Argument(
    help: "The files, or folders of files, played one after the other; - is standard input.",
    completion: .file())
  var files: [FilePath]

  @OptionGroup(title: "Speed and pitch") var speeds: SpeedOptions
  @OptionGroup(title: "Part and direction") var part: PlayedPart
  @OptionGroup(title: "Volume, channels and effects") var sound: PlayedSound

  @Option(
    help: ArgumentHelp(
      """
      Where the sound goes: auto is the sound device, silent is none, file:NAME.wav is a new \
      file; anything else is read as elements for gst-launch-1.0.
      """, valueName: "sink"),
    completion: .list(["auto", "silent"]))
  var sink = "auto"

  func validate() throws {
    if case .file(let url) = Self.sink(sink), !Self.isWave(FilePath(url)) {
      throw ValidationError(
        "--sink file: writes a WAV file; choose a name that ends in .wav, or use reverse or scale "
          + "for other types.")
    }
  }

  func run() async throws {
    try speeds.check(speeds.lengths + (part.ladder.isEmpty ? [] : ["--ladder"]))
    let effects = try sound.effects.effects()
    let errors = StandardError()
    let pipe = TemporaryFile()
    defer { withExtendedLifetime(pipe) {} }
    let tracks: [AudioFile]
    do throws(RetrogradeError) { tracks = try await self.tracks(pipe) } catch {
      errors.say(error.message)
      throw ExitCode.validationFailure
    }
    let terminal = Terminal()
    let input = TerminalInput(keys: terminal == nil ? nil : STDIN_FILENO)
    let player = await makePlayer(effects)
    let session = PlaySession(
      tracks, with: player, model: model(count: tracks.count),
      isInteractive: terminal != nil
    ) { PlayDisplay(terminal, errors: errors) }
    session.preparation = preparation
    session.firstPosition = [part.start, part.loop?.lowerBound].compactMap(\.self).max()
    let ending = await session.run(input)
    input.endsAtSignals()
    await session.close()
    // the screen showed the failures only briefly or not at all
    if terminal != nil || session.display == nil {
      for failure in session.failures { errors.say(failure.message) }
    }
    if terminal != nil, let stop = session.stop {
      Console.output.writeLine(
        "\(stop.name): stopped at \(stop.time); --start \(stop.time) goes on from there.")
    }
    if case .signal(let signal) = ending { Signals.endProgram(by: signal) }
    if !session.failures.isEmpty { throw ExitCode.failure }
  }
}

// MARK: - Values of the options

extension PlayCommand {
  private func makePlayer(_ effects: [AudioEffect]) async -> AudioPlayer {
    let player = AudioPlayer(sink: Self.sink(sink), effects: effects)
    await player.setDirection(part.reverse ? .reverse : .forward)
    await player.apply(model(count: 1).settings)
    return player
  }

  /// A folder stands for the audio files in it, but not for those in its subfolders. Standard input
  /// is copied to `pipe`.
  private func tracks(_ pipe: TemporaryFile) async throws(RetrogradeError) -> [AudioFile] {
    var tracks: [AudioFile] = []
    for input in files {
      let kind = SourceSearch.Kind(of: input)
      if let refusal = kind.refusal(of: input, readsPipe: true) { throw refusal }
      switch kind {
      case .folder:
        let found = try await FoundFile.list(input)
        guard found.contains(where: \.isReadable) else {
          throw RetrogradeError.unreadable(FoundFile.nothing(in: input))
        }
        tracks += found.map { AudioFile($0.input.url, label: $0.input.description) }
      case .pipe:
        try await pipe.fill(from: STDIN_FILENO)
        tracks.append(AudioFile(pipe.path.url, label: Source.pipeLabel))
      default: tracks.append(AudioFile(input.url, label: input.description))
      }
    }
    return tracks
  }

  private static func isWave(_ path: FilePath) -> Bool {
    path.fileExtension.isEmpty || OutputSettings.FileType(extension: path.fileExtension) == .wav
  }

  static func sink(_ text: String) -> AudioPlayer.Sink {
    switch text {
    case "auto": .automatic
    case "silent": .silent
    case let text where text.hasPrefix("file:"):
      .file(FilePath(argument: String(text.dropFirst("file:".count))).url)
    default: .custom(text)
    }
  }

  private func model(count: Int) -> PlayModel {
    var model = PlayModel(count: count)
    model.direction = part.reverse ? .reverse : .forward
    model.factor = part.ladder.first ?? speeds.scale ?? .one
    model.ladder = part.ladder
    model.backstep = part.backstep ?? .zero
    model.volume = sound.volume
    model.pitch = speeds.pitch
    model.pitch.isKept = speeds.pitch.isKept || !part.ladder.isEmpty
    model.interpolation = speeds.interpolation
    model.channels = sound.channels
    if !part.ladder.isEmpty || part.loop != nil { model.loopMode = .repeat }
    model.markerStart = part.loop?.lowerBound
    // "12-" means from 12 s to the end of the file
    model.markerStop = part.loop?.stop
    return model
  }

  private var preparation: [PlayAction] {
    let edge = part.reverse ? part.loop?.stop : part.loop?.lowerBound
    return (part.start ?? edge).map { [.seek($0)] } ?? []
  }
}
