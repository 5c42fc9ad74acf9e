// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde
import Synchronization
import Testing

/// Records the input that a tap receives.
private final class Seen: Sendable {
  struct Record: Sendable {
    var formats: [AudioEffect.Format] = []
    var frames: [Int64] = []
    var wasOnMainThread = false
    var hasGap = false
  }

  let record = Mutex(Record())

  /// A tap that records its input, and counts frames itself to detect gaps.
  var tap: AudioEffect {
    AudioEffect.tap { format in
      self.record.withLock {
        $0.formats.append(format)
        $0.frames.append(0)
      }
      var next: Int64 = 0
      return { block in
        let (first, count) = (block.firstFrame, block.frames)
        self.record.withLock {
          $0.hasGap = $0.hasGap || first != next || count < 1
          $0.wasOnMainThread = $0.wasOnMainThread || Thread.isMainThread
          $0.frames[$0.frames.count - 1] += Int64(count)
        }
        next += Int64(count)
      }
    }
  }

  var all: Record { record.withLock { $0 } }
}

/// Halves the first channel, and inverts the remaining channels.
private let halves = AudioEffect.tap { format in
  { block in
    for channel in 0..<format.channels {
      block.withPlane(channel) { plane in
        for frame in plane.indices { plane[frame] *= channel == 0 ? 0.5 : -1 }
      }
    }
  }
}

@Suite struct TapTests {
  @Test(arguments: ["short.wav", "speech.wav", "surround.flac"])
  func `It sees every frame once, in order, with its format`(name: String) async throws {
    let folder = try TestFolder()
    let seen = Seen()
    let rendering = try await Sounds.file(name).render(
      AudioEdit(direction: .reverse, effects: [seen.tap]), to: folder.file("new.wav")
    )
    let all = seen.all
    #expect(all.formats.map(\.rate) == [rendering.input.rate])
    #expect(all.formats.map(\.channels) == [rendering.input.channels])
    #expect(all.frames == [rendering.input.frames])
    #expect(!all.hasGap && !all.wasOnMainThread)
    // this tap changes nothing, so the new file is the reversed input
    #expect(
      try samplesByFFmpeg(folder.file("new.wav"))
        == samplesByFFmpeg(rendering.input.channels == 0 ? folder.url : Sounds.file(name).url)
        .framesBackwards(channels: rendering.input.channels))
  }

  @Test(arguments: AudioEffect.Place.allCases)
  func `It changes samples in place, for playing and for writing`(
    place: AudioEffect.Place
  ) async throws {
    let desk = try EffectDesk()
    var effect = halves
    effect.place = place
    let edit = AudioEdit(direction: .reverse, effects: [effect])
    let expected = desk.samples.framesBackwards(channels: 2).enumerated().map { index, sample in
      sample * (index % 2 == 0 ? 0.5 : -1)
    }
    #expect(try await desk.exported(edit) == expected)
    #expect(try await desk.played(edit) == expected)
  }

  /// The tap makes an echo with a ring buffer. The echo equals that of the element `audioecho`.
  @Test func `Its state between blocks makes an echo, and its tail is output`() async throws {
    let desk = try EffectDesk()
    let echo = AudioEffect.tap(tail: .milliseconds(250)) { format in
      let delay = format.rate / 4
      var ring = [Float](repeating: 0, count: delay * format.channels)
      return { block in
        for frame in 0..<block.frames {
          let place = Int((block.firstFrame + Int64(frame)) % Int64(delay))
          for channel in 0..<format.channels {
            let sample = block[channel, frame]
            block[channel, frame] += 0.5 * ring[place * format.channels + channel]
            ring[place * format.channels + channel] = sample
          }
        }
      }
    }
    let edit = AudioEdit(effects: [echo])
    let exported = try await desk.exported(edit)
    #expect(exported.distance(to: desk.samples.echoed(delay: 11_025, tail: 11_025)) <= 1e-7)
    #expect(try await desk.played(edit) == exported)
  }

  /// `volume` marks muted buffers as gaps. Elements after a tap may skip a gap, so a tap must clear
  /// the flag.
  @Test func `Its sound in silence is output`() async throws {
    let desk = try EffectDesk()
    let constant = AudioEffect.tap { format in
      { block in for frame in 0..<block.frames { block[0, frame] = 0.25 } }
    }
    let silence = try AudioEffect("volume mute=true")
    let heard = try await desk.exported(AudioEdit(effects: [silence, constant]))
    let expected = desk.samples.indices.map { Float($0 % 2 == 0 ? 0.25 : 0) }
    #expect(heard.distance(to: expected) == 0)
  }

  @Test func `It is prepared again for each run and after each seek`() async throws {
    let seen = Seen()
    let desk = try EffectDesk()
    _ = try await desk.exported(AudioEdit(effects: [seen.tap]).with(\.normalizes, true))
    #expect(seen.all.frames == [66_167, 66_167])

    let heard = Seen()
    let player = AudioPlayer(sink: .custom("fakesink"), effects: [heard.tap])
    try await player.open(desk.song)
    await player.seek(to: .seconds(1))
    await player.play()
    #expect(await player.waitForEnd())
    await player.close()
    #expect(heard.all.formats.count >= 2 && heard.all.frames.last == 66_167 - 44_100)
    #expect(!heard.all.hasGap)
  }

  @Test func `Two taps are the same where they come from one call`() {
    let (one, other) = (Seen().tap, Seen().tap)
    #expect(one == one && one != other)
    #expect(AudioEdit(effects: [one]) == AudioEdit(effects: [one]))
    #expect(AudioEdit(effects: [one]) != AudioEdit(effects: [other]))
  }
}
