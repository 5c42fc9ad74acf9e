// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// The blocks may get another format right after a seek. Anywhere else, whoever reads them relies on
/// the format that they had.
@Suite struct FormatChangeTests {
  private let formats = [format(id: 1, bytes: 4), format(id: 2, bytes: 2)]

  private static func format(id: Int, bytes: UInt32) -> TimeBlocksFormat {
    TimeBlocksFormat(
      rate: 8000, channels: 1, planes: 1, stride_bytes: bytes, sample_bytes: bytes,
      silence: (0, 0, 0, 0, 0, 0, 0, 0), id: UnsafeRawPointer(bitPattern: id))
  }

  /// Fetches the next block, in the format with this index. Returns the failure, or `nil`.
  private func fetch(_ index: Int, _ cursor: inout Cursor) throws -> TimeBlocksCode? {
    guard case .fetch(let decode, _) = cursor.fetch() else {
      Issue.record("no fetch")
      return nil
    }
    let samples = [UInt8](repeating: 0, count: 4 * 40_000)
    try samples.withUnsafeBytes { samples in
      var plane = samples.baseAddress
      try withUnsafePointer(to: &plane) { planes in
        var used = 0
        let first = decode.pointee.fetch.keepFirstFrame
        decode.pointee.add(
          TimeDecodeBuffer(
            planes: planes, frames: 40_000, frame: first, is_placed: 1, is_timed: 1, offset: 0),
          formats[index], from: &used)
        try #require(used < 40_000)
      }
    }
    cursor.planner.arrived = decode
    if case .failed(let report) = cursor.admit() { return report.code }
    return nil
  }

  private func seek(to frame: Int64, _ cursor: inout Cursor) {
    var target = TimeBlocksTarget(TIMEDSP_FORWARD)
    target.move = TIMEBLOCKS_GO_TO
    target.start_frame = frame
    cursor.serve(target)
  }

  @Test func onlyTheFirstBlockAfterASeekMayHaveAnotherFormat() throws {
    var cursor = try Cursor(convert: { _, _, _, _, _, _ in })
    cursor.planner.settings.max_block_frames = 8000
    cursor.planner.settings.preroll_frames = unknownFrame
    cursor.planner.settings.max_memory_bytes = 1 << 26
    cursor.planner.settings.loop_start_frame = unknownFrame
    cursor.planner.settings.loop_stop_frame = unknownFrame
    cursor.open(formats[0])
    seek(to: 100_000, &cursor)
    #expect(try fetch(0, &cursor) == nil)
    // the frame is in the block that we have
    seek(to: 100_000, &cursor)
    cursor.move(to: 500_000, TIMEDSP_FORWARD, inLoop: true)
    #expect(try fetch(1, &cursor) == TIMEBLOCKS_FORMAT_CHANGED)
    seek(to: 700_000, &cursor)
    #expect(try fetch(1, &cursor) == nil)
  }
}
