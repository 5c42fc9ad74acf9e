// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// The code in the articles about playing; see ArticleTests.swift.

import CGStreamer
import Foundation
import Testing

@testable import Retrograde

@Test(.timeLimit(.minutes(1))) func playingBackwards() async throws {
  let (song, sink) = (Sounds.file("sample.mp3").url, AudioPlayer.Sink.silent)

  let player = AudioPlayer(sink: sink)
  let information = try await player.open(AudioFile(song))
  print(information.tags.title ?? song.lastPathComponent)
  await player.play()
  await player.turn(.reverse)

  await player.seek(to: .seconds(2.5))
  await player.setLoop(AudioPlayer.Loop(.pingPong, from: .seconds(1), to: .seconds(3)))
  await player.setFactor(try ScaleFactor(0.5))
  await player.setChannels(.merged)

  #expect(await player.direction == .reverse)
  #expect(await player.loop == AudioPlayer.Loop(.pingPong, from: .seconds(1), to: .seconds(3)))
  #expect(await player.factor.value == 0.5)
  #expect(await player.channels == .merged)

  await player.setLoop(AudioPlayer.Loop())
  await player.setFactor(try ScaleFactor(0.25))
  for await position in player.positions {
    print("\(position.time / .seconds(1)) s, \(position.direction.rawValue)")
    if position.state == .ended { break }
  }
  #expect(await player.state == .ended)
  await player.close()
}

@Test(.timeLimit(.minutes(1))) func playerTellsWhatHappens() async throws {
  let folder = try TestFolder()
  let recording = folder.file("recording.wav")

  let silent = AudioPlayer(sink: .silent)
  let recorder = AudioPlayer(sink: .file(recording))

  try await silent.open(Sounds.file("speech.wav"))
  await silent.seek(to: .seconds(1.7))
  await silent.play()
  #expect(recorder.sink == .file(recording))
  // ended, once it is played
  let player = silent
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
  await silent.close()
}

@Test func realTimeProcessing() async throws {
  let (song, device) = (Sounds.file("sample.ogg").url, "fakesink name=device sync=true")

  let chain = "audioecho name=echo delay=250000000 intensity=0.5 ! \(device)"
  let player = AudioPlayer(sink: .custom(chain))
  try await player.open(AudioFile(song))
  await player.play()

  await player.withPipeline { pipeline in
    guard let bin = pipeline?.assumingMemoryBound(to: GstBin.self),
      let echo = gst_bin_get_by_name(bin, "echo")
    else { return }
    echo.withMemoryRebound(to: GObject.self, capacity: 1) {
      gst_util_set_object_arg($0, "feedback", "0.25")
    }
    gst_object_unref(echo)
  }

  await player.withPipeline { pipeline in
    guard let bin = pipeline?.assumingMemoryBound(to: GstBin.self),
      let revbuf = gst_bin_get_by_name(bin, "revbuf")
    else { return }
    revbuf.withMemoryRebound(to: GObject.self, capacity: 1) {
      gst_util_set_object_arg($0, "block-time", "2000000000")
    }
    gst_object_unref(revbuf)
  }

  #expect(await player.withPipeline { property("feedback", of: "echo", in: $0) } == "0.25")
  #expect(
    await player.withPipeline { property("block-time", of: "revbuf", in: $0) } == "2000000000")
  await player.close()
  #expect(await player.withPipeline { $0 == nil })
}
