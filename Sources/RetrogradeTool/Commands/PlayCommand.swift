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
        Home End     to the start, the end     [ ]     set the markers
        r            change direction          x       clear the markers
        K            keep the pitch: on, off   L       loop: off, repeat, ping-pong
        < >          lower, higher: semitone   m       channels: all, first, merged
        up down      volume
        + - 0        faster, slower, normal    i       interpolation
        n p Enter    next, previous, next      w       write to a file
        ?            these keys                q       quit

      Examples:
        retrograde play song.mp3
        retrograde play --reverse --speed 1.25 *.flac
        retrograde play --start 1:30 --volume 50 song.mp3
        retrograde play --loop 0:12.5-0:14 song.mp3
        retrograde play --sink file:played.wav song.mp3
      """)

  @Argument(
    help: "The files, or folders of files, played one after the other; - is standard input.",
    completion: .file())
  var files: [FilePath]

  @Option(
    help: ArgumentHelp(
      """
      Where the sound goes: auto is the sound device, silent is none, file:NAME.wav is a new \
      file; anything else is read as elements for gst-launch-1.0.
      """, valueName: "sink"))
  var sink = "auto"

  @Flag(help: "Play backwards, from the end.")
  var reverse = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where playback of the first file starts, in seconds or as 1:30.", valueName: "time"),
    transform: Clock.init(argument:))
  var start: Clock?

  @Option(parsing: .unconditional, help: ArgumentHelp("Volume, 0 to 100.", valueName: "percent"))
  var volume = 100

  @Option(
    parsing: .unconditional,
    help: "New length / old length, 0.01 to 100: 1.5, 150% or 3/2. Below 1 is faster.",
    transform: ScaleFactor.init(argument:))
  var factor: ScaleFactor?

  @Option(
    parsing: .unconditional, help: "How many times as fast: 1.25, 125% or 5/4.",
    transform: ScaleFactor.init(speedArgument:))
  var speed: ScaleFactor?

  @Option(
    parsing: .unconditional, help: "The same as --speed with --keep-pitch.",
    transform: ScaleFactor.init(speedArgument:))
  var tempo: ScaleFactor?

  @Flag(help: "Keep the pitch when the speed changes.")
  var keepPitch = false

  @OptionGroup var height: PitchOptions

  @Option(help: "How to calculate values between two samples.")
  var interpolation: Interpolation = .sinc

  @Option(help: "The channels to play.")
  var channels = AudioEdit.Channels.all

  @OptionGroup var effects: EffectOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Repeat this part of the first file, in seconds or as 1:02.5.", valueName: "A-B"),
    transform: Region.init(argument:))
  var loop: Region?

  func validate() throws {
    guard (0...100).contains(volume) else {
      throw ValidationError("--volume must be from 0 to 100.")
    }
    if case .file(let url) = Self.sink(sink), !Self.isWave(FilePath(url)) {
      throw ValidationError(
        "--sink file: writes a WAV file; choose a name that ends in .wav, or use reverse or scale "
          + "for other types.")
    }
    guard [factor, speed, tempo].count(where: { $0 != nil }) <= 1 else {
      throw ValidationError("--factor, --speed and --tempo all set the speed; use one of them.")
    }
  }

  private var scale: ScaleFactor { factor ?? speed ?? tempo ?? .one }

  func run() async throws {
    try height.check()
    let effects = try effects.effects()
    let errors = StandardError()
    let pipe = TemporaryFile(name: "standard input")
    defer { withExtendedLifetime(pipe) {} }
    let tracks: [AudioFile]
    do throws(RetrogradeError) { tracks = try await PlayList(pipe: pipe).tracks(files) } catch {
      errors.say(error.message)
      throw ExitCode.validationFailure
    }
    let terminal = Terminal()
    let input = TerminalInput(keys: terminal == nil ? nil : STDIN_FILENO)
    let player = await makePlayer(effects)
    let session = PlaySession(
      tracks, with: player, model: model(count: tracks.count),
      isInteractive: terminal != nil
    ) {
      if let terminal { ScreenDisplay(terminal) } else { LineDisplay(errors: errors) }
    }
    session.preparation = preparation
    session.firstPosition = [start?.time, loop?.range.lowerBound].compactMap(\.self).max()
    let ending = await session.run(input)
    input.endsAtSignals()
    await session.close()
    SignalPipe.close()
    if terminal != nil || session.display == nil { report(session.failures, errors) }
    if case .signal(let signal) = ending { SignalPipe.endProgram(by: signal) }
    if !session.failures.isEmpty { throw ExitCode.failure }
  }

  /// The screen showed the failures only briefly or not at all, so we repeat them on standard
  /// error.
  private func report(_ failures: [RetrogradeError], _ errors: StandardError) {
    for failure in failures {
      let isWithoutDevice = failure.code == .deviceUnavailable && sink == "auto"
      errors.say(isWithoutDevice ? Self.noDevice : failure.message)
    }
  }

  private static let noDevice =
    "No sound device was found; play silently with --sink silent, or into a file with "
    + "--sink file:NAME.wav."
}

// MARK: - Values of the options

extension PlayCommand {
  private func makePlayer(_ effects: [AudioEffect]) async -> AudioPlayer {
    let player = AudioPlayer(sink: Self.sink(sink), effects: effects)
    await player.setDirection(reverse ? .reverse : .forward)
    await player.apply(model(count: 1).settings)
    return player
  }

  private var pitch: Pitch {
    height.pitch(isKept: keepPitch || tempo != nil)
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
    model.direction = reverse ? .reverse : .forward
    model.factor = scale
    model.volume = volume
    model.pitch = pitch
    model.interpolation = interpolation
    model.channels = channels
    if let loop {
      model.loopMode = .repeat
      model.markerStart = loop.range.lowerBound
      // "12-" means from 12 s to the end of the file
      model.markerStop = loop.stop
    }
    return model
  }

  private var preparation: [PlayAction] {
    let edge = reverse ? loop?.stop : loop?.range.lowerBound
    return (start?.time ?? edge).map { [.seek($0)] } ?? []
  }
}
