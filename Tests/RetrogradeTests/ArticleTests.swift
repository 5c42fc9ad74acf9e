// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// Contains the code of the articles in Retrograde.docc, word for word. Other code around it
// prepares the articles' code and checks its results. `articleCodeIsTested` compares the code with
// the articles.

import Foundation
import Testing

@testable import Retrograde

@Test func landingPage() async throws {
  let folder = try TestFolder()
  let input = Sounds.file("short.wav").url
  let (reversed, slower) = (folder.file("reversed.wav"), folder.file("slower.wav"))

  let song = AudioFile(input)
  try await song.reverse(to: reversed)
  try await song.scale(by: ScaleFactor(1.5), to: slower)

  let samples = try samplesByFFmpeg(input)
  #expect(try samplesByFFmpeg(reversed) == samples.framesReversed(channels: 2))
  #expect(try samplesByFFmpeg(slower).count / 2 == 66_167 * 3 / 2)
}

@Test func reversingAFile() async throws {
  let folder = try TestFolder()
  let input = Sounds.file("surround.flac").url
  let output = folder.file("reversed.flac")
  let (left, mono) = (folder.file("left.wav"), folder.file("mono.wav"))

  let song = AudioFile(input)
  let information = try await song.information()
  let seconds = information.duration.map { $0 / .seconds(1) } ?? 0
  print("\(song.name): \(seconds) s, \(information.channels) channels, \(information.codec)")

  let rendering = try await song.reverse(to: output) { progress in
    print("\(Int(100 * progress.fraction)) %, \(progress.speed) × real time")
  }

  try await song.render(AudioEdit(direction: .reverse, channels: .first), to: left)
  try await song.render(AudioEdit(direction: .reverse, channels: .merged), to: mono)

  for loss in rendering.losses { print(loss) }

  #expect(seconds == 3.3)
  let samples = try samplesByFFmpeg(input)
  let first = stride(from: samples.count - 6, through: 0, by: -6).map { samples[$0] }
  #expect(try samplesByFFmpeg(left) == first)
  #expect(try samplesByFFmpeg(mono).count == 158_400)
}

@Test func reversingAFileThatIsNotThere() async throws {
  let folder = try TestFolder()
  let (missing, output) = (folder.file("missing.mp3"), folder.file("reversed.flac"))
  do {
    try await AudioFile(missing).reverse(to: output)
  } catch let error as RetrogradeError {
    print(error.message)  // "missing.mp3: there is no such file; check the name."
  }

  let error = await #expect(throws: RetrogradeError.self) {
    try await AudioFile(missing).reverse(to: output)
  }
  #expect(error?.message == "missing.mp3: there is no such file; check the name.")
  #expect(folder.names == [])
}

@Test func reversingThatIsCancelled() async throws {
  let folder = try TestFolder()
  let (song, unwanted) = (Sounds.file("sample.mp3"), folder.file("unwanted.flac"))

  let work = Task { try await song.reverse(to: unwanted) }
  work.cancel()

  await #expect(throws: CancellationError.self) { try await work.value }
  #expect(folder.names == [])
}

@Test func scalingAFileInTime() async throws {
  let folder = try TestFolder()
  let input = Sounds.file("sample.flac").url
  let (slower, faster) = (folder.file("slower.wav"), folder.file("faster.wav"))
  let (output, excerpt) = (folder.file("output.wav"), folder.file("excerpt.ogg"))
  let longest = folder.file("longest.wav")
  let (kept, lower) = (folder.file("kept.wav"), folder.file("lower.wav"))
  let (person, stopped) = (folder.file("person.wav"), folder.file("stopped.wav"))

  let song = AudioFile(input)
  try await song.scale(by: ScaleFactor(1.5), to: slower)
  try await song.scale(by: ScaleFactor(0.5), to: faster)

  try await song.scale(by: ScaleFactor(1.25), to: kept, pitch: .kept)
  try await song.render(AudioEdit(pitch: Pitch(semitones: -2)), to: lower)
  let higher = Pitch(semitones: 4, formants: .keep)
  try await song.render(AudioEdit(pitch: higher), to: person)

  var stop = AudioEdit()
  stop.speedCurve = try SpeedCurve([
    SpeedCurve.Point(time: .seconds(1), speed: 1), SpeedCurve.Point(time: .seconds(2), speed: 0),
  ])
  try await song.render(stop, to: stopped)

  var plain = AudioEdit(factor: try ScaleFactor(1.25), channels: .merged)
  plain.interpolation = .smooth
  plain.alignment = .endpoints
  try await song.render(plain, to: output)

  var edit = AudioEdit(region: .seconds(1) ..< .seconds(3), direction: .reverse)
  edit.factor = try ScaleFactor(2)
  let settings = OutputSettings(codec: .opus, bitRate: 96_000)
  let rendering = try await song.render(edit, to: excerpt, settings: settings)
  print(rendering.output.duration ?? .zero)

  try await song.scale(by: ScaleFactor(3), to: longest) { progress in
    let rest = progress.remaining.map { " \($0 / .seconds(1)) s remain" } ?? ""
    print("\(Int(100 * progress.fraction)) %\(rest)")
  }

  var loudest: Float = 0
  for try await block in song.samples {
    for plane in block.planes { loudest = max(loudest, plane.map(abs).max() ?? 0) }
  }
  #expect(try loudest == samplesByFFmpeg(input).map(abs).max())

  let frames = 221_234.0
  #expect(try samplesByFFmpeg(slower).count / 2 == Int(frames * 1.5))
  #expect(try samplesByFFmpeg(faster).count / 2 == Int(frames * 0.5))
  #expect(try samplesByFFmpeg(output).count == Int(frames * 1.25))
  #expect(try samplesByFFmpeg(kept).count / 2 == Int(frames * 1.25))
  #expect(try samplesByFFmpeg(lower).count / 2 == Int(frames))
  #expect(try samplesByFFmpeg(person).count / 2 == Int(frames))
  #expect(try samplesByFFmpeg(stopped).count / 2 == 88_641)
  #expect(try samplesByFFmpeg(longest).count / 2 == Int(frames * 3))
  #expect(abs((rendering.output.duration ?? .zero).inSeconds - 4) < 0.01)
}
