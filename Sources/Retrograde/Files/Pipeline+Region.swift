// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension Pipeline {
  /// Starts the pipeline, and seeks the elements with these names to regions of the file. They
  /// don't output any audio before that, because an encoder wouldn't discard it. Blocks the output
  /// of the element `held` or, if that's nil, of every element in `regions` until the seeks are
  /// done.
  func enter(
    _ regions: [String: RegionPlan.Region], of file: AudioFile, holding held: String? = nil
  ) async throws {
    let names = held.map { [$0] } ?? Array(regions.keys)
    let blocks = names.compactMap { element($0) }.map { ($0, $0.block()) }
    defer { for (revbuf, block) in blocks { revbuf.unblock(block) } }
    await request(GST_STATE_PAUSED)
    for _ in blocks { try await waitUntilBlocked(file) }
    for (name, region) in regions {
      guard await seek(name, to: region.start, stop: region.stop) else {
        throw file.unseekable
      }
    }
  }
}
