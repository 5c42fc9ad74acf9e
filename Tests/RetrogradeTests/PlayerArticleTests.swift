// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// Contains the code of the articles about playback; see ArticleTests.swift.

import CGStreamer
import Foundation
import Synchronization
import Testing

@testable import Retrograde

@Test func playingBackwards() async throws {
  let (song, sink) = (Sounds.file("sample.mp3").url, AudioPlayer.Sink.fast)

  let player = AudioPlayer(sink: sink)
  let information = try await player.open(AudioFile(song))
  print(information.tags.title ?? song.lastPathComponent)
  await player.play()
  await player.setDirection(.reverse)

  await player.seek(to: .seconds(2.5))
  await player.setSpeed(-2)
  var settings = await player.settings
  settings.loop = Loop(.pingPong, from: .seconds(1), to: .seconds(3))
  settings.factor = try ScaleFactor(0.5)
  settings.channels = .merged
  await player.apply(settings)

  #expect(await player.direction == .reverse)
  #expect(await player.settings == settings)
  #expect(await player.speed == -2)

  settings.loop = Loop()
  settings.factor = try ScaleFactor(0.25)
  await player.apply(settings)
  for await position in player.positions {
    print("\(position.time / .seconds(1)) s, \(position.direction.rawValue)")
    if position.state == .ended { break }
  }
  #expect(await player.state == .ended)
  await player.close()
}

@Test func playerReportsEvents() async throws {
  let folder = try TestFolder()
  let recording = folder.file("recording.wav")

  let silent = AudioPlayer(sink: .silent)
  let recorder = AudioPlayer(sink: .file(recording))

  #expect(silent.sink == .silent)
  #expect(recorder.sink == .file(recording))
  // the state is `ended` after playback
  let player = AudioPlayer(sink: .fast)
  try await player.open(Sounds.file("speech.wav"))
  await player.play()
  let reader = Task {
    for await event in player.events {
      switch event {
      case .failed(let error): print(error.message)
      case .warning(let sentence): print(sentence)
      case .tags(let tags): print(tags.title ?? "")
      case .ended: print("The end.")
      @unknown default: break
      }
    }
  }
  for await position in player.positions where position.state == .ended { break }
  reader.cancel()
  await player.close()
}

@Test func realTimeProcessing() async throws {
  let folder = try TestFolder()
  let (song, sink) = (Sounds.file("sample.ogg").url, AudioPlayer.Sink.fast)
  let (reversed, swelling) = (folder.file("reversed.wav"), folder.file("swelling.wav"))

  let echo = try AudioEffect("audioecho delay=250000000 intensity=0.5", tail: .seconds(1))
  let player = AudioPlayer(sink: sink, effects: [echo])
  try await player.open(AudioFile(song))
  await player.play()

  let edit = AudioEdit(direction: .reverse, effects: [echo])
  try await AudioFile(song).render(edit, to: reversed)

  await player.close()
  let samples = try samplesByFFmpeg(reversed)
  let information = try await AudioFile(song).information()
  #expect(samples.count / 2 == Int(clamping: (information.frames ?? 0) + 44_100))

  let swell = try AudioEffect("audioecho delay=250000000", place: .before, tail: .seconds(1))
  try await AudioFile(song).render(
    AudioEdit(direction: .reverse, effects: [swell]), to: swelling)

  // both files have the same length, but the echo comes before the sound instead of after it
  #expect(try samplesByFFmpeg(swelling).count == samples.count)
  #expect(try samplesByFFmpeg(swelling) != samples)
}

@Test func realTimeProcessingByFunctions() async throws {
  let folder = try TestFolder()
  let (song, sink) = (Sounds.file("short.wav").url, AudioPlayer.Sink.custom("fakesink"))
  let trembling = folder.file("trembling.wav")

  let tremolo = AudioEffect.tap { format in
    let step = 2 * Double.pi * 5 / Double(format.rate)
    return { block in
      for frame in 0..<block.frames {
        let angle = step * Double(block.firstFrame + Int64(frame))
        for channel in 0..<format.channels {
          block[channel, frame] *= Float(0.75 + 0.25 * cos(angle))
        }
      }
    }
  }
  try await AudioFile(song).render(AudioEdit(effects: [tremolo]), to: trembling)

  let plain = try samplesByFFmpeg(song)
  let expected = plain.indices.map { index in
    plain[index] * Float(0.75 + 0.25 * cos(2 * Double.pi * 5 * Double(index / 2) / 44_100))
  }
  #expect(try samplesByFFmpeg(trembling).distance(to: expected) <= 0.51 / 32768)

  final class Loudest: Sendable {
    let sample = Atomic<Float>(0)
  }
  let loudest = Loudest()
  let meter = AudioEffect.tap { format in
    { block in
      var peak: Float = 0
      for channel in 0..<format.channels {
        block.withPlane(channel) { plane in
          for frame in plane.indices { peak = max(peak, abs(plane[frame])) }
        }
      }
      if peak > loudest.sample.load(ordering: .relaxed) {
        loudest.sample.store(peak, ordering: .relaxed)
      }
    }
  }
  let metered = AudioPlayer(sink: sink, effects: [meter])

  try await metered.open(AudioFile(song))
  await metered.play()
  #expect(await metered.waitForEnd())
  await metered.close()
  #expect(loudest.sample.load(ordering: .relaxed) == plain.map(abs).max())
}

@Test func realTimeProcessingInThePipeline() async throws {
  let (song, sink) = (Sounds.file("sample.ogg").url, AudioPlayer.Sink.fast)

  let named = try AudioEffect("audioecho name=echo delay=250000000 intensity=0.5")
  let changing = AudioPlayer(sink: sink, effects: [named])
  try await changing.open(AudioFile(song))
  await changing.withPipeline { pipeline in
    guard let bin = pipeline?.assumingMemoryBound(to: GstBin.self),
      let echo = gst_bin_get_by_name(bin, "echo")
    else { return }
    echo.withMemoryRebound(to: GObject.self, capacity: 1) {
      gst_util_set_object_arg($0, "feedback", "0.25")
    }
    gst_object_unref(echo)
  }

  await changing.withPipeline { pipeline in
    guard let bin = pipeline?.assumingMemoryBound(to: GstBin.self),
      let revbuf = gst_bin_get_by_name(bin, "revbuf")
    else { return }
    revbuf.withMemoryRebound(to: GObject.self, capacity: 1) {
      gst_util_set_object_arg($0, "block-time", "2000000000")
    }
    gst_object_unref(revbuf)
  }

  #expect(await changing.withPipeline { property("feedback", of: "echo", in: $0) } == "0.25")
  #expect(
    await changing.withPipeline { property("block-time", of: "revbuf", in: $0) } == "2000000000")
  await changing.close()
  #expect(await changing.withPipeline { $0 == nil })
}
