// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension Pipeline {
  /// Goes to a part of the file before anything has left the element named
  /// "revbuf": an encoder would not forget what came before a seek.
  func enter(_ region: Range<Duration>, of file: AudioFile) async throws {
    guard let revbuf = element("revbuf") else { return }
    let block = revbuf.block()
    defer { revbuf.unblock(block) }
    await request(GST_STATE_PAUSED)
    try await waitUntilBlocked(file)
    guard await seek(to: region.lowerBound, stop: region.upperBound) else {
      throw file.error(.inputDamaged, "one cannot seek in it; convert it into another type first.")
    }
  }
}
