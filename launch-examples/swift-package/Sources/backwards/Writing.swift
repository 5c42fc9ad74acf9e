// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

@preconcurrency import Dispatch
import Foundation
import Retrograde
import Synchronization

/// Writes a reversed copy of a file, and shows the progress. Ctrl-C cancels the work without
/// leaving an incomplete file.
func write(_ song: AudioFile, to target: URL) async throws {
  let interrupts = await interrupts()
  let percent = Mutex(0)
  let work = Task {
    try await song.reverse(to: target) { progress in
      percent.withLock { percent in
        guard Int(100 * progress.fraction) >= percent + 10 else { return }
        percent = Int(100 * progress.fraction)
        print("\(percent) %, \(Int(progress.speed)) × real time")
      }
    }
  }
  let watch = Task { for await _ in interrupts { work.cancel() } }
  defer { watch.cancel() }
  let rendering = try await work.value
  for loss in rendering.losses { print(loss) }
  print("\(rendering.output.frames ?? 0) frames")
}

/// A stream with an element for each press of Ctrl-C. Once this function returns, Ctrl-C no longer
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
