// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

@preconcurrency import Dispatch
import Foundation
import Retrograde

/// Writes a reversed copy of a file, and shows the progress. Ctrl-C cancels
/// the work; no incomplete file is left.
func write(_ song: AudioFile, to target: URL) async throws {
  let edit = AudioEdit(direction: .reverse)
  let interrupts = await interrupts()
  let job = song.render(edit, to: target)
  let watch = Task { for await _ in interrupts { job.cancel() } }
  defer { watch.cancel() }
  var percent = 0
  for await progress in job.progress where Int(100 * progress.fraction) >= percent + 10 {
    percent = Int(100 * progress.fraction)
    print("\(percent) %, \(Int(progress.speed)) × real time")
  }
  let rendering = try await job.finish()
  for loss in rendering.losses { print(loss) }
  print("\(rendering.output.frames ?? 0) frames")
}

/// A stream with an element for each press of Ctrl-C. When this function returns, Ctrl-C no longer
/// ends the program.
private func interrupts() async -> AsyncStream<Void> {
  signal(SIGINT, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGINT)
  let (interrupts, presses) = AsyncStream.makeStream(of: Void.self)
  source.setEventHandler { presses.yield() }
  presses.onTermination = { _ in source.cancel() }
  await withCheckedContinuation { listening in
    source.setRegistrationHandler { listening.resume() }
    source.resume()
  }
  return interrupts
}
