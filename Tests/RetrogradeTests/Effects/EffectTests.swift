// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// An echo after 250 ms, which are 11,025 frames.
private let echoElements = "audioecho delay=250000000 intensity=0.5"
private let delay = 11_025
/// The rounding error of a product and a sum of two `Float`s.
private let rounding: Float = 1e-7

@Suite struct EffectTests {
  @Test(arguments: Direction.allCases)
  func `An echo is what its formula says, and FFmpeg's`(direction: Direction)
    async throws
  {
    let desk = try EffectDesk()
    let echo = try AudioEffect(echoElements, tail: .milliseconds(250))
    let heard = try await desk.exported(AudioEdit(direction: direction, effects: [echo]))
    let sound =
      direction == .forward ? desk.samples : desk.samples.framesBackwards(channels: 2)
    #expect(heard.distance(to: sound.echoed(delay: delay, tail: delay)) <= rounding)
    let filter = (direction == .forward ? "" : "areverse,") + "aecho=1:1:250:0.5"
    let other = try output(
      of: "ffmpeg", "-v", "error", "-i", desk.song.url.path, "-af", filter, "-f", "f32le", "-")
    let peer = other.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    // FFmpeg clips samples beyond full scale
    #expect(heard.map { min(max($0, -1), 1) }.distance(to: peer) <= 1e-6)
  }

  @Test func `Before the reversal, it goes backwards with the sound`() async throws {
    let desk = try EffectDesk()
    let echo = try AudioEffect(echoElements, place: .before, tail: .milliseconds(250))
    let heard = try await desk.exported(AudioEdit(direction: .reverse, effects: [echo]))
    let expected = desk.samples.echoed(delay: delay, tail: delay).framesBackwards(channels: 2)
    #expect(heard.distance(to: expected) <= rounding)
  }

  @Test(arguments: Direction.allCases, AudioEffect.Place.allCases)
  func `Of a region, it knows nothing before it`(
    direction: Direction, place: AudioEffect.Place
  ) async throws {
    let desk = try EffectDesk()
    let echo = try AudioEffect(echoElements, place: place, tail: .milliseconds(250))
    let edit = AudioEdit(
      region: .milliseconds(500) ..< .seconds(1), direction: direction, effects: [echo])
    let part = Array(desk.samples[2 * 22_050..<2 * 44_100])
    let forward = place == .before ? part.echoed(delay: delay, tail: delay) : part
    let turned = direction == .forward ? forward : forward.framesBackwards(channels: 2)
    let expected = place == .after ? turned.echoed(delay: delay, tail: delay) : turned
    #expect(try await desk.exported(edit).distance(to: expected) <= rounding)
  }

  @Test func `In its place, a region alone gets it, and the rest stays`() async throws {
    let desk = try EffectDesk()
    let echo = try AudioEffect(echoElements)
    var edit = AudioEdit(
      region: .milliseconds(500) ..< .seconds(1), direction: .reverse, effects: [echo]
    ).with(\.keepsRest, true)
    let (start, stop) = (2 * 22_050, 2 * 44_100)
    let part = Array(desk.samples[start..<stop]).framesBackwards(channels: 2)
    let expected =
      desk.samples[..<start] + part.echoed(delay: delay) + desk.samples[stop...]
    #expect(try await desk.exported(edit).distance(to: Array(expected)) <= rounding)
    edit.effects[0].tail = .seconds(1)
    #expect(throws: RetrogradeError.self) { try edit.validate() }
  }

  @Test func `Effects come one after the other`() async throws {
    let desk = try EffectDesk()
    let effects = [
      try AudioEffect("audioamplify amplification=0.5 clipping-method=none"),
      try AudioEffect(echoElements, tail: .milliseconds(250)),
      try AudioEffect("audioecho delay=500000000 intensity=0.5", tail: .milliseconds(500)),
    ]
    let heard = try await desk.exported(AudioEdit(effects: effects))
    let expected = desk.samples.map { $0 / 2 }.echoed(delay: delay, tail: delay)
      .echoed(delay: 2 * delay, tail: 2 * delay)
    #expect(heard.distance(to: expected) <= 2 * rounding)
  }

  @Test func `Too loud for whole numbers, it is clipped and reported, limited, or guarded`()
    async throws
  {
    let folder = try TestFolder()
    let loud = try AudioEffect("audioamplify amplification=8 clipping-method=none")
    let song = Sounds.file("short.wav")
    var edit = AudioEdit(effects: [loud])
    let clipped = try await song.render(edit, to: folder.file("clipped.wav"))
    #expect(clipped.clipped > 0)
    #expect(clipped.losses.contains { $0.description.contains("clipped") })
    edit.peaks = .limited
    let limited = try await song.render(edit, to: folder.file("limited.wav"))
    #expect(limited.clipped == 0 && limited.amplification == 1)
    #expect(try samplesByFFmpeg(limited.url).count == samplesByFFmpeg(clipped.url).count)
    edit.peaks = .guarded
    let guarded = try await song.render(edit, to: folder.file("guarded.wav"))
    #expect(guarded.clipped == 0 && guarded.amplification < 1)
    #expect(try samplesByFFmpeg(guarded.url).map(abs).max() ?? 0 > 0.999)
  }

  @Test func `Any names may be those of its elements`() async throws {
    let desk = try EffectDesk()
    for name in ["revbuf", "meter", "effect0"] {
      let effect = try AudioEffect("identity name=\(name)")
      let edit = AudioEdit(direction: .reverse, effects: [effect])
      #expect(try await desk.exported(edit) == desk.samples.framesBackwards(channels: 2))
      #expect(try await desk.played(edit) == desk.samples.framesBackwards(channels: 2))
    }
  }

  @Test func `Tags of the loudness are not kept`() async throws {
    let desk = try EffectDesk()
    let tagged = desk.folder.file("tagged.flac")
    try output(
      of: "ffmpeg", "-v", "error", "-i", desk.song.url.path, "-metadata",
      "REPLAYGAIN_TRACK_GAIN=-3 dB", "-metadata", "TITLE=One", tagged.path)
    let edit = AudioEdit(effects: [try AudioEffect(echoElements)])
    let rendering = try await AudioFile(tagged).render(edit, to: desk.folder.file("new.flac"))
    #expect(rendering.output.tags.title == "One")
    #expect(rendering.losses.contains { $0.description.contains("no longer be true") })
  }
}

/// Invalid descriptions of effects, and the error sentences.
@Suite struct EffectErrorTests {
  @Test(arguments: [
    ("nosuchelement", "has no element \"nosuchelement\"; install"),
    ("audioecho dealy=1", "no property \"dealy\" in element \"audioecho\""),
    ("audioecho delay=often", "could not set property \"delay\""),
    ("audioecho intensity=2", "out of range for property 'intensity'"),
    ("audioecho delay=0", "out of range for property 'delay'"),
    ("audioecho !", "cannot be created"), ("", "cannot be created"),
    ("audioecho )", "cannot be created"),
    ("fakesink", "2-channel floats at 44100 Hz"), ("audiotestsrc", "2-channel floats at 44100 Hz"),
    ("audiotestsrc ! audioecho", "2-channel floats at 44100 Hz"),
    ("audioecho ! fakesink", "2-channel floats at 44100 Hz"),
    ("videoflip", "2-channel floats at 44100 Hz"),
    ("audioconvert ! capsfilter caps=audio/x-raw,channels=1", "2-channel floats at 44100 Hz"),
    ("audioresample ! capsfilter caps=audio/x-raw,rate=8000", "2-channel floats at 44100 Hz"),
    ("audioconvert ! audio/x-raw,channels=1", "; write \"capsfilter caps=audio/…\""),
    ("capsfilter caps=audio/x-raw,format=S16LE", "2-channel floats at 44100 Hz"),
    ("flacenc", "2-channel floats at 44100 Hz"), ("wavenc", "2-channel floats at 44100 Hz"),
  ])
  func `A description without effect is refused`(elements: String, sentence: String) {
    let error = #expect(throws: RetrogradeError.self) { try AudioEffect(elements) }
    #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(";") == true)
    #expect([.effectUnusable, .elementMissing].contains(error?.code))
  }

  @Test(arguments: [-1, 3601]) func `A tail has a length`(seconds: Int) {
    let error = #expect(throws: RetrogradeError.self) {
      try AudioEffect("audioecho", tail: .seconds(seconds))
    }
    #expect(error?.code == .invalidArgument)
  }

  /// A filter for stereo does not fit surround sound. The error is thrown when a file with surround
  /// sound is opened.
  @Test func `An effect that does not fit a file is refused when that is opened`() async throws {
    let folder = try TestFolder()
    let stereo = try AudioEffect("capsfilter caps=audio/x-raw,channels=2")
    let song = Sounds.file("surround.flac")
    let error = await #expect(throws: RetrogradeError.self) {
      try await song.render(AudioEdit(effects: [stereo]), to: folder.file("new.flac"))
    }
    #expect(error?.message.contains("6-channel floats at 48000 Hz") == true)
    let player = AudioPlayer(sink: .fast, effects: [stereo])
    let other = await #expect(throws: RetrogradeError.self) { try await player.open(song) }
    #expect(other == error)
    #expect(await player.state == .empty)
    #expect(folder.names == [])
  }

  @Test(arguments: AudioEffect.Place.allCases)
  func `One that fails on its way is named, and nothing is left`(
    place: AudioEffect.Place
  ) async throws {
    let folder = try TestFolder()
    let failing = try AudioEffect("identity error-after=3", place: place)
    let error = await #expect(throws: RetrogradeError.self) {
      try await Sounds.file("short.wav").render(
        AudioEdit(effects: [failing]), to: folder.file("new.wav")
      )
    }
    #expect(error?.code == .effectUnusable)
    #expect(error?.message.hasPrefix("The effect \"identity error-after=3\" failed; ") == true)
    #expect(folder.names == [])
  }

  @Test func `While it plays, one that fails is an event`() async throws {
    let failing = try AudioEffect("identity error-after=20")
    let player = AudioPlayer(sink: .fast, effects: [failing])
    let events = player.events
    do {
      try await player.open(Sounds.file("short.wav"))
      await player.play()
      for await event in events {
        guard case .failed(let error) = event else { continue }
        throw error
      }
    } catch let error as RetrogradeError {
      #expect(error.code == .effectUnusable)
    }
    #expect(await player.state == .empty)
  }
}

/// With effects, the output of a player equals the exported file, sample for sample.
@Suite struct EffectPlayTests {
  private static let chains = [
    [(echoElements, AudioEffect.Place.after)],
    [(echoElements, .before)],
    [
      ("audiocheblimit mode=low-pass cutoff=2000", .before), (echoElements, .after),
      ("equalizer-3bands band0=6", .after),
    ],
  ]

  @Test(
    arguments: zip(
      Self.chains + Self.chains,
      [
        (Direction.forward, 1, Pitch.followsSpeed), (.reverse, 1, .followsSpeed),
        (.reverse, 0.5, .followsSpeed), (.forward, 1.25, .kept),
        (.reverse, 1, Pitch(semitones: -3)), (.reverse, 1.25, .kept),
      ]))
  func `It plays what it exports`(
    chain: [(String, AudioEffect.Place)], time: (Direction, Double, Pitch)
  ) async throws {
    let desk = try EffectDesk(["-t", "1"])
    let effects = try chain.map {
      try AudioEffect($0.0, place: $0.1, tail: .milliseconds(100))
    }
    let edit = AudioEdit(
      direction: time.0, factor: ScaleFactor(clamping: time.1), pitch: time.2, effects: effects)
    let exported = try await desk.exported(edit)
    let plain = try await desk.exported(
      AudioEdit(direction: time.0, factor: edit.factor, pitch: time.2))
    let isOther = exported.prefix(plain.count) != plain[...]
    #expect(exported.count > plain.count + 4000 && isOther)
    let played = try await desk.played(edit)
    // in silence, recursive filters of GStreamer keep or drop the smallest numbers, by the thread
    #expect(played.distance(to: exported) < 1e-30)
  }

  /// An encoder drops samples after the end of its segment, like a sound device, and `audiorate`
  /// fills gaps between timestamps. So the samples of the tail must be in the segment, with the
  /// right timestamps.
  @Test(arguments: Direction.allCases)
  func `A tail is a part of the stream`(direction: Direction) async throws {
    let desk = try EffectDesk()
    let url = desk.folder.file("heard.flac")
    let sink =
      "audiorate ! audioconvert ! audio/x-raw,format=S24_32LE ! flacenc ! "
      + "filesink location=\(url.path)"
    let player = AudioPlayer(
      sink: .custom(sink), effects: [try AudioEffect(echoElements, tail: .seconds(1))])
    await player.setDirection(direction)
    try await player.open(desk.song)
    await player.play()
    #expect(await player.waitForEnd())
    await player.close()
    #expect(try samplesByFFmpeg(url).count / 2 == 66_167 + 44_100)
  }

  @Test(.enabled(if: isLong)) func `A file that has ended is played again, with its tail`()
    async throws
  {
    let desk = try EffectDesk()
    let echo = try AudioEffect(echoElements, tail: .milliseconds(250))
    let exported = try await desk.exported(AudioEdit(effects: [echo]))
    let url = desk.folder.file("heard.wav")
    let player = AudioPlayer(sink: .file(url), effects: [echo])
    try await player.open(desk.song)
    for _ in 0..<2 {
      await player.play()
      #expect(await player.waitForEnd())
    }
    await player.close()
    #expect(try samplesByFFmpeg(url) == exported + exported)
  }

  @Test func `The temporary file is gone with the song`() async throws {
    let effect = try AudioEffect(echoElements, place: .before)
    let player = AudioPlayer(sink: .fast, effects: [effect])
    let song = Sounds.file("short.wav")
    let information = try await player.open(song)
    #expect(await player.information == information && information.codec.contains("PCM"))
    let files = try FileManager.default.contentsOfDirectory(
      atPath: FileManager.default.temporaryDirectory.path)
    #expect(!files.contains { $0.contains("retrograde-") && $0.hasSuffix(".wav") })
    await player.seek(to: .seconds(1))
    await player.play()
    #expect(await player.waitForEnd())
    await player.close()
  }
}
