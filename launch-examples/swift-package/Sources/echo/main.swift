// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Plays a file backwards with an echo, or writes the same samples into a file. Run `make build` in
// Retrograde's folder, and then in this folder:
//
//   swift run echo song.mp3
//   swift run echo song.mp3 echo.flac

import Foundation
import Retrograde

let names = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
guard let name = names.first, names.count <= 2 else {
  print("usage: echo FILE [NEW-FILE]")
  exit(2)
}
do {
  let echo = try AudioEffect("audioecho delay=250000000 intensity=0.5", tail: .milliseconds(250))
  if let target = names.dropFirst().first {
    let edit = AudioEdit(direction: .reverse, effects: [echo])
    let rendering = try await AudioFile(name).render(edit, to: target)
    print("wrote \(rendering.output.frames ?? 0) frames")
  } else {
    // GStreamer elements to send the sound to instead of the sound device
    let sink = ProcessInfo.processInfo.environment["BACKWARDS_SINK"]
    let player = AudioPlayer(sink: sink.map { .custom($0) } ?? .automatic, effects: [echo])
    await player.setDirection(.reverse)
    try await player.open(AudioFile(name))
    await player.play()
    for await position in player.positions where position.state != .playing { break }
    await player.close()
  }
} catch {
  print(error.localizedDescription)
  exit(1)
}
