// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import FoundationEssentials
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
      \(PlayView.help)

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
    try speeds.check(speeds.lengths + (part.ladder == nil ? [] : ["--ladder"]))
    let player = AudioPlayer(sink: Self.sink(sink), effects: try sound.effects.effects())
    let pipe = TemporaryFile()
    defer { withExtendedLifetime(pipe) {} }
    let sources = await SourceSearch(pipe: pipe).sources(files)
    let faults = sources.compactMap(\.fault)
    for fault in faults { Console.error.complain(fault.message) }
    let tracks = sources.filter { $0.fault == nil }.map(\.file)
    if tracks.isEmpty { throw ExitCode.failure }
    let session = PlaySession(
      tracks, with: player, model: model(count: tracks.count), start: part.start)
    await session.run()
    if let signal = Signals.received { Signals.endProgram(by: signal) }
    if !faults.isEmpty || !session.failures.isEmpty { throw ExitCode.failure }
  }

  // MARK: - Values of the options

  private static func isWave(_ path: FilePath) -> Bool {
    path.fileExtension.isEmpty || OutputSettings.FileType(extension: path.fileExtension) == .wav
  }

  private static func sink(_ text: String) -> AudioPlayer.Sink {
    switch text {
    case "auto": .automatic
    case "silent": .silent
    case let text where text.hasPrefix("file:"):
      .file(FilePath(argument: String(text.dropFirst("file:".count))).url)
    default: .custom(text)
    }
  }

  private func model(count: Int) -> PlayModel {
    let ladder = part.ladder ?? []
    var model = PlayModel(count: count)
    model.direction = part.reverse ? .reverse : .forward
    model.factor = ladder.first ?? speeds.scale ?? .one
    model.ladder = ladder
    model.backstep = part.backstep ?? .zero
    model.volume = sound.volume
    model.pitch = speeds.pitch
    model.pitch.isKept = speeds.pitch.isKept || !ladder.isEmpty
    model.interpolation = speeds.interpolation
    model.channels = sound.channels
    if !ladder.isEmpty || part.loop != nil { model.loopMode = .repeat }
    model.markerStart = part.loop?.lowerBound
    // "12-" means from 12 s to the end of the file
    model.markerStop = part.loop?.stop
    return model
  }
}
