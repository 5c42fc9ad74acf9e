// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// Contains the examples in the comments of the library's types, word for word, as an application
// would write them: without `@testable`. `codeInCommentsIsTested` compares the comments with them.

import Foundation
import Retrograde
import Testing

/// A song, a player that has opened it, and names for new files.
private struct Desk {
  let folder: TestFolder
  let song: AudioFile
  let player = AudioPlayer(sink: .fast)
  var output: URL { folder.file("\(UUID().uuidString).wav") }

  init() async throws {
    folder = try TestFolder()
    song = Sounds.file("short.wav")
    try await player.open(song)
  }
}

@Test func examplesOfEdits() async throws {
  let desk = try await Desk()
  let (song, player) = (desk.song, desk.player)
  do {
    var edit = AudioEdit(direction: .reverse, factor: try ScaleFactor(2))
    edit.region = .seconds(1) ..< .seconds(3)
    edit.pitch = .kept
    try edit.validate()
  }
  do {
    let longer = try ScaleFactor(1.5)
    let faster = try ScaleFactor(speed: 2)
    print(faster.value)  // 0.5
    #expect(longer > faster && faster.value == 0.5)
  }
  await player.setDirection(player.direction.opposite)
  #expect(await player.direction == .reverse)
  do {
    var edit = AudioEdit(factor: try ScaleFactor(1.5))
    edit.interpolation = .linear
    try edit.validate()
  }
  do {
    let output = desk.output
    try await song.render(AudioEdit(channels: .merged), to: output)
    #expect(try await AudioFile(output).information().channels == 1)
  }
  do {
    var slower = AudioEdit(factor: try ScaleFactor(1.5), pitch: .kept)
    slower.peaks = .limited
    try slower.validate()
  }
  do {
    let lower = AudioEdit(pitch: Pitch(semitones: -2))
    let slower = AudioEdit(factor: try ScaleFactor(1.25), pitch: .kept)
    #expect(lower.pitch.semitones == -2 && slower.pitch.isKept)
  }
  do {
    var edit = AudioEdit(pitch: .kept)
    edit.timeMap = try TimeMap([
      TimeMap.Point(input: .seconds(4), output: .seconds(5)),
      TimeMap.Point(input: .seconds(8), output: .seconds(8)),
    ])
    try edit.validate()
    let point = TimeMap.Point(input: .seconds(4), output: .milliseconds(4_500))
    #expect(edit.timeMap?.points.first?.input == point.input)
  }
  do {
    var edit = AudioEdit()
    edit.speedCurve = try SpeedCurve([
      SpeedCurve.Point(time: .seconds(5), speed: 1),
      SpeedCurve.Point(time: .seconds(5.5), speed: -6),
      SpeedCurve.Point(time: .seconds(6.5), speed: 0),
    ])
    try edit.validate()
    let backwards = SpeedCurve.Point(time: .seconds(5.5), speed: -6)
    #expect(edit.speedCurve?.points[1] == backwards)
  }
  do {
    var edit = AudioEdit(factor: try ScaleFactor(1.5))
    edit.alignment = .endpoints
    try edit.validate()
  }
  await player.close()
}

@Test func examplesOfEffects() async throws {
  let desk = try await Desk()
  do {
    let echo = try AudioEffect("audioecho delay=250000000 intensity=0.5", tail: .seconds(1))
    let edit = AudioEdit(direction: .reverse, effects: [echo])
    let echoing = AudioPlayer(sink: .silent, effects: [echo])
    let output = desk.output
    try await desk.song.render(edit, to: output)
    let frames = try await AudioFile(output).information().frames
    #expect(frames == 66_167 + 44_100 && echoing.effects == edit.effects)
  }
  do {
    let swelling = try AudioEffect("audioecho delay=250000000", place: .before)
    #expect(swelling.place == .before)
  }
  let softer = AudioEffect.tap { format in
    let share = 1 / Float(format.channels)
    return { block in
      for channel in 0..<format.channels {
        block.withPlane(channel) { plane in
          for frame in plane.indices { plane[frame] *= share }
        }
      }
    }
  }
  let swapped = AudioEffect.tap { format in
    { block in
      guard format.channels == 2 else { return }
      for frame in 0..<block.frames {
        (block[0, frame], block[1, frame]) = (block[1, frame], block[0, frame])
      }
    }
  }
  let tremolo = AudioEffect.tap { format in
    let step = 2 * Float.pi * 5 / Float(format.rate)
    var angle: Float = 0
    return { block in
      for frame in 0..<block.frames {
        for channel in 0..<format.channels { block[channel, frame] *= 1 + sin(angle) / 2 }
        angle = (angle + step).remainder(dividingBy: 2 * .pi)
      }
    }
  }
  let sound = try EffectDesk()
  let heard = try await sound.exported(AudioEdit(effects: [softer, swapped, tremolo]))
  let expected = sound.samples.indices.map { index in
    let angle = 2 * Double.pi * 5 * Double(index / 2) / 44_100
    return sound.samples[index ^ 1] / 2 * Float(1 + sin(angle) / 2)
  }
  #expect(heard.distance(to: expected) < 1e-4)
}

@Test func examplesOfFiles() async throws {
  let desk = try await Desk()
  let song = desk.song
  do {
    let tags = try await song.information().tags
    print(tags.title ?? song.name, tags["track-number"] ?? "")
  }
  do {
    let information = try await song.information()
    print("\(information.codec), \(information.rate) Hz, \(information.channels) channels")
  }
  do {
    let outline = try await song.waveform(columns: 80)
    let peaks = outline.columns.map { max(-$0.lowerBound, $0.upperBound) }
    #expect(peaks.count == 80 && outline.fraction == 1)
  }
  do {
    let type = try await OutputSettings.FileType.same(as: song.information())
    print("\(type.rawValue) holds \(type.codecs.map(\.rawValue).joined(separator: ", "))")
  }
  do {
    let lossless = OutputSettings.Codec.allCases.filter(\.isLossless)
    #expect(lossless.contains(.flac) && !lossless.contains(.opus))
  }
  do {
    var frames = 0
    for try await block in song.samples { frames += block.frames }
    print("\(frames) frames")
    #expect(frames == 66_167)
    let blocks: AudioFile.Samples = song.samples
    _ = blocks
    var iterator = song.samples.makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first?.channels == 2)
  }
  let block = AudioBlock(sampleRate: 48_000, planes: [[0, 0.5, 1], [0, -0.5, -1]])
  print("\(block.channels) channels, \(block.frames) frames")
  print("made with Retrograde \(RetrogradeLibrary.version)")
}

@Test func examplesOfWriting() async throws {
  let desk = try await Desk()
  let song = desk.song
  do {
    let output = desk.folder.file("song.opus")
    let settings = OutputSettings(codec: .opus, bitRate: 96_000, replacesExisting: true)
    try settings.validate(for: output)
    try await song.reverse(to: output, settings: settings)
  }
  do {
    let output = desk.output
    try await song.reverse(to: output) { progress in
      print("\(Int(100 * progress.fraction)) %, \(progress.speed) × real time")
    }
  }
  do {
    let output = desk.output
    let rendering = try await song.reverse(to: output)
    for loss in rendering.losses { print(loss) }
    #expect(rendering.losses.isEmpty)
    let isLossless = !rendering.losses.contains { if case .lossyCodec = $0 { true } else { false } }
    #expect(isLossless)
  }
  do {
    let output = desk.output
    try await song.scale(by: ScaleFactor(1.5), to: output, pitch: .kept)
  }
  do {
    let output = desk.output
    let edit = AudioEdit(region: .seconds(1) ..< .seconds(3), direction: .reverse)
    let rendering = try await song.render(edit, to: output) { progress in
      print(progress.fraction)
    }
    #expect(rendering.url == output)
  }
}

@Test func examplesOfErrors() async throws {
  let desk = try await Desk()
  let (song, output) = (desk.song, desk.output)
  try await song.reverse(to: output)
  do {
    try await song.reverse(to: output)
  } catch let error as RetrogradeError where error.code == .outputExists {
    print("Replace it?")
  } catch let error as RetrogradeError {
    print(error.message)
  }
  let error = try #require(
    await #expect(throws: RetrogradeError.self) { try await song.reverse(to: output) })
  let isAboutOutput = [.outputExists, .outputUnwritable].contains(error.code)
  #expect(isAboutOutput)
}

@Test(.enabled(if: isLong)) func examplesOfPlaying() async throws {
  let player = try await Desk().player
  do {
    var settings = await player.settings
    settings.factor = try ScaleFactor(0.5)
    settings.pitch = .kept
    await player.apply(settings)
  }
  do {
    var settings = await player.settings
    settings.loop = Loop(.pingPong, from: .seconds(1), to: .seconds(3))
    await player.apply(settings)
    settings.loop.mode = settings.loop.mode == .none ? .repeat : .none
    await player.apply(settings)
    #expect(await player.settings.loop.mode == .none)
  }
  let listener = Task {
    for await event in player.events {
      if case .failed(let error) = event { print(error.message) }
    }
  }
  if await player.state == .playing { await player.pause() } else { await player.play() }
  #expect(await player.state == .playing)
  for await position in player.positions {
    print("\(position.time / .seconds(1)) s")
    if position.state == .ended { break }
  }
  await player.close()
  await listener.value
  do {
    let nowhere = AudioPlayer(sink: .silent)
    let headphones = AudioPlayer(sink: .custom("alsasink device=hw:1"))
    #expect(nowhere.sink != headphones.sink)
  }
}

/// This function needs a sound device, and a song in the folder of the program. So it is compiled,
/// but not run.
private func playSong() async throws {
  do {
    let song = AudioFile(URL(fileURLWithPath: "song.mp3"))
    print(try await song.information().duration ?? .zero)
    try await song.reverse(to: URL(fileURLWithPath: "gnos.flac"))
  }
  let player = AudioPlayer()
  try await player.open(AudioFile(URL(fileURLWithPath: "song.mp3")))
  await player.play()
  await player.setDirection(.reverse)
  for await position in player.positions { print(position.time) }
}
