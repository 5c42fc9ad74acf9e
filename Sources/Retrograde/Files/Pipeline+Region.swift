// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension Pipeline {
  /// Goes to parts of the file before anything has left the elements with these names, each a
  /// `revbuf`: an encoder would not forget what came before a seek.
  func enter(_ regions: [String: RegionPlan.Region], of file: AudioFile) async throws {
    let blocks = regions.keys.compactMap { element($0) }.map { ($0, $0.block()) }
    defer { for (revbuf, block) in blocks { revbuf.unblock(block) } }
    await request(GST_STATE_PAUSED)
    for _ in blocks { try await waitUntilBlocked(file) }
    for (name, region) in regions {
      guard await seek(name, to: region.start, stop: region.stop) else {
        throw file.error(
          .inputDamaged, "GStreamer cannot seek in it; convert it into another type first.")
      }
    }
  }
}
