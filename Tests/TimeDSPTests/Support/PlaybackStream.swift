// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// The upstream of a playback: a decoder with the inaccuracies of real decoders. After a seek, the
/// first frames have wrong samples, and all frame numbers are too high or too low by the same small
/// number. After a seek to the beginning of the stream, everything is correct.
final class PlaybackStream {
  let length: Int64
  let rate: UInt32
  /// Maximum number of wrong frames after a seek.
  var settling: Int64 = 0
  /// Maximum error of the frame numbers of a run.
  var farthest: Int64 = 0
  /// Number of frames in the longest buffer.
  var longestBuffer = 1152
  /// The first frame of the stream. A seek to an earlier frame goes to this frame.
  var begin: Int64 = 0
  /// Whether a seek to a position before the first frame gives the first frame a wrong number: that
  /// of the requested position, as in MPEG-TS.
  var mistakesBegin = false
  /// Number of frames that are missing after a seek to the beginning, for example in MPEG-PS.
  var lateAtBegin: Int64 = 0
  /// The frame at which the stream must stop according to the last seek (that frame is not sent);
  /// `nil` for the end of the stream.
  var stop: Int64?
  /// The event at the end of the stream.
  var end = TIMEPLAY_STREAM_END
  /// Whether the stream supports segment seeks. A fetch by a segment seek then reports the end of
  /// the segment instead of the end of the stream.
  var knowsSegments = false
  /// Whether the last fetch was a segment seek.
  var isSegment = false
  /// How often the end of the stream has been reported.
  private(set) var announcements = 0
  /// The answer to a query for the duration.
  var durationNs = UInt64.max
  var generator: SplitMix

  /// The samples of all frames that a test needs, and wrong samples.
  private static let sound = (0..<200_000).map { sound($0) }
  private static let spoilt = (0..<220_000).map { sound(-2 - $0) }

  /// The next frame, the error of its number, and the first frame after the seek that is not wrong.
  private var next: Int64 = 0
  private var ahead: Int64 = 0
  private var settled: Int64 = 0
  /// The last buffer, and how many of its frames have been used.
  private var buffer: Range<Int64> = 0..<0
  private var used = 0
  private(set) var seeks = 0

  init(length: Int64, rate: UInt32 = 8_000, seed: UInt64 = 1) {
    self.length = length
    self.rate = rate
    generator = SplitMix(seed: seed)
  }

  /// The sample of a frame. No two frames have the same sample.
  static func sound(_ frame: Int64) -> Int32 {
    Int32(truncatingIfNeeded: frame &+ 1) &* 0x2C1B_3C6D
  }

  /// The number of the frame that has this sample.
  static func frame(_ sound: Int32) -> Int64 { Int64(sound &* 0x64EA_2D65) - 1 }

  var format: TimePlayFormat {
    var format = TimePlayFormat()
    format.rate = rate
    (format.channels, format.planes) = (1, 1)
    (format.stride_bytes, format.sample_bytes) = (4, 4)
    format.id = UnsafeRawPointer(bitPattern: 1)
    return format
  }

  func seek(toNs time: UInt64) {
    seeks += 1
    // rounded like gst_util_uint64_scale()
    let first = Int64(UInt128(time) * UInt128(rate) / 1_000_000_000)
    let off = farthest == 0 ? 0 : Int64.random(in: -farthest...farthest, using: &generator)
    ahead = first <= off || first == 0 ? 0 : off
    next = first - ahead
    if first <= begin {
      next = begin + (first == begin ? lateAtBegin : 0)
      ahead = mistakesBegin ? first - begin : 0
    }
    let spoilt = next == 0 || settling == 0 ? 0 : Int64.random(in: 0...settling, using: &generator)
    settled = next + spoilt
    (buffer, used) = (next..<next, 0)
    stop = nil
  }

  /// Sends buffers as long as the playback has a run to fill.
  func send(to playback: OpaquePointer) {
    var run: OpaquePointer?
    while timeplay_receive(playback, &run) == TIMEPLAY_BUFFER_FILLS, let wanted = run {
      if used == buffer.count {
        guard next < stop ?? length else {
          let isAnnounced = !(knowsSegments && isSegment)
          if isAnnounced { announcements += 1 }
          Self.send(isAnnounced ? end : TIMEPLAY_SEGMENT_END, to: playback)
          return
        }
        buffer = next..<endOfBuffer()
        next = buffer.upperBound
        used = 0
      }
      if add(to: wanted) {
        used = buffer.count
      } else {
        timeplay_filled(playback, 1)
      }
    }
  }

  /// Sends an event, and returns what the playback decides to do with it.
  @discardableResult
  static func send(
    _ kind: TimePlayEventKind, to playback: OpaquePointer, inSeek: Bool = false,
    seqnum: UInt32 = 1, from startNs: UInt64 = 0
  ) -> TimePlayRoute {
    var event = TimePlayEvent()
    event.kind = kind
    event.seqnum = seqnum
    event.in_seek = inSeek ? 1 : 0
    event.segment.rate = 1
    event.segment.start_ns = startNs
    event.segment.stop_ns = .max
    event.duration_ns = .max
    return timeplay_event(playback, &event)
  }

  private func endOfBuffer() -> Int64 {
    let end = next + Int64.random(in: 1...Int64(longestBuffer), using: &generator)
    return min(end, stop ?? length, next < settled ? min(settled, length) : length)
  }

  /// Adds a buffer to a run. Returns whether the run needs more.
  private func add(to run: OpaquePointer) -> Bool {
    let number = buffer.lowerBound + ahead
    var arrived = TimePlayBuffer()
    arrived.frames = buffer.count
    arrived.has_timestamp = 1
    arrived.time_sign = number < 0 ? -1 : 1
    arrived.time_ns = timeNs(of: abs(number), rate: rate)
    var format = format
    // after each seek, the wrong samples differ, and are not only shifted
    let isSpoilt = buffer.lowerBound < settled
    let first = Int(buffer.lowerBound) + (isSpoilt ? seeks % 4 * 5_000 : 0)
    return (isSpoilt ? Self.spoilt : Self.sound).withUnsafeBytes { bytes in
      var plane = bytes.baseAddress.map { $0 + first * 4 }
      return withUnsafePointer(to: &plane) { planes in
        arrived.planes = planes
        return timeplay_run_add(run, &arrived, &format, &used) != 0
      }
    }
  }
}
