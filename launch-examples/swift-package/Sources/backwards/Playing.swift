// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde

/// Plays a file backwards, from its end, and prints the position. If the environment variable
/// `BACKWARDS_SINK` names GStreamer elements, the sound goes there instead of to the sound device.
func play(_ song: AudioFile) async throws {
  let sink = ProcessInfo.processInfo.environment["BACKWARDS_SINK"]
  let player = AudioPlayer(sink: sink.map { .custom($0) } ?? .automatic)
  await player.setDirection(.reverse)
  try await player.open(song)
  let failures = Task { await firstFailure(of: player) }
  await player.play()
  var seconds = Int.max
  for await position in player.positions where position.state != .paused {
    let now = Int(position.time / .seconds(1))
    if now < seconds { print("\(now) s") }
    seconds = now
    if position.state != .playing { break }
  }
  await player.close()
  if let error = await failures.value { throw error }
}

/// The first error that stops the player, or nil if playback ends without one.
private func firstFailure(of player: AudioPlayer) async -> RetrogradeError? {
  for await event in player.events {
    if case .failed(let error) = event { return error }
  }
  return nil
}
