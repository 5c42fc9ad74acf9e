// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Processes the sound with the application's own function, a tremolo at 5 Hz, and prints the level.
// Plays the result, or writes the same samples to a file:
//
//   swift run tremolo song.mp3
//   swift run tremolo song.mp3 tremolo.flac

import Foundation
import Retrograde
import Synchronization

/// The loudest sample since it was last read. The streaming thread writes it without a lock, so it
/// never has to wait for the reader.
final class Loudest: Sendable {
  private let sample = Atomic<Float>(0)

  func note(_ new: Float) {
    if new > sample.load(ordering: .relaxed) { sample.store(new, ordering: .relaxed) }
  }

  func take() -> Float { sample.exchange(0, ordering: .relaxed) }
}

/// Multiplies the samples by 0.5 … 1 at 5 Hz, and records the loudest result.
func tremolo(_ loudest: Loudest) -> AudioEffect {
  .tap { format in
    let step = 2 * Double.pi * 5 / Double(format.rate)
    return { block in
      var peak: Float = 0
      for frame in 0..<block.frames {
        let angle = step * Double(block.firstFrame + Int64(frame))
        let factor = Float(0.75 + 0.25 * cos(angle))
        for channel in 0..<format.channels {
          block[channel, frame] *= factor
          peak = max(peak, abs(block[channel, frame]))
        }
      }
      loudest.note(peak)
    }
  }
}

@main struct Tremolo {
  static func main() async {
    let names = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
    guard let name = names.first, names.count <= 2 else {
      print("usage: tremolo FILE [NEW-FILE]")
      exit(2)
    }
    do {
      let loudest = Loudest()
      if names.count == 2 {
        let edit = AudioEdit(effects: [tremolo(loudest)])
        try await AudioFile(name).render(edit, to: names[1])
        print("the loudest sample: \(loudest.take())")
      } else {
        try await play(AudioFile(name), loudest)
      }
    } catch {
      print(error.localizedDescription)
      exit(1)
    }
  }

  private static func play(_ song: AudioFile, _ loudest: Loudest) async throws {
    let sink = ProcessInfo.processInfo.environment["BACKWARDS_SINK"]
    let player = AudioPlayer(
      sink: sink.map { .custom($0) } ?? .automatic, effects: [tremolo(loudest)])
    try await player.open(song)
    await player.play()
    for await position in player.positions {
      print(String(repeating: "#", count: Int(40 * min(loudest.take(), 1))))
      if position.state != .playing { break }
    }
    await player.close()
  }
}
