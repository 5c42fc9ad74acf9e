// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import TimeDSP

/// What arrives after a seek: frames `first ..< end` of the take's own
/// numbering, of which some may be left out.
struct SimulatedTake {
  var first: Int64
  var frames: [Int32]
  var end: Int64 { first + Int64(frames.count) }

  /// The frames of `range` that the take has.
  func frames(in range: Range<Int64>) -> [Int32] {
    Array(frames[index(range.lowerBound)..<max(index(range.lowerBound), index(range.upperBound))])
  }

  func keeping(_ first: Int64, _ end: Int64) -> SimulatedTake {
    let from = min(max(first, self.first), self.end)
    return SimulatedTake(
      first: from, frames: frames(in: from..<(end == -1 ? self.end : max(end, from))))
  }

  private func index(_ frame: Int64) -> Int {
    Int(min(max(frame, first), end) - first)
  }
}

/// A decoder that seeks as real ones do: what comes first after a seek is
/// spoilt, and the numbers of its frames are a few too high or too low, unless
/// it starts where the stream does.
struct SimulatedStream {
  let length: Int64
  let rate: UInt32
  /// Frames that the decoder takes to settle, at most.
  let settling: Int64
  /// How far the numbering of takes may be off.
  let farthest: Int64
  var generator: SplitMix

  /// The sound of a frame: one that no other frame has.
  static func sound(_ frame: Int64) -> Int32 {
    Int32(truncatingIfNeeded: frame &+ 1) &* 0x2C1B_3C6D
  }

  mutating func take(fromNs time: UInt64) -> SimulatedTake {
    // As gst_util_uint64_scale() rounds.
    let first = Int64(UInt128(time) * UInt128(rate) / 1_000_000_000)
    let off = Int64.random(in: -farthest...farthest, using: &generator)
    let ahead = first <= off || first == 0 ? 0 : off
    let start = first - ahead
    let spoilt = start == 0 ? 0 : Int64.random(in: 0...settling, using: &generator)
    let frames = start < length ? Array(start..<length) : []
    return SimulatedTake(
      first: first,
      frames: frames.map { $0 < start + spoilt ? Int32.min : Self.sound($0) })
  }
}

/// Plays a stream block by block as the element does.
struct SimulatedPlayer {
  struct Unexpected: Error { var what: String }

  var stream: SimulatedStream
  var limits: TimeDSPFetchLimits
  /// Everything that was heard.
  private(set) var heard: [Int32] = []
  private var last: SimulatedTake?
  private var blocks: UInt32 = 0

  init(stream: SimulatedStream, limits: TimeDSPFetchLimits) {
    self.stream = stream
    self.limits = limits
  }

  /// Plays backward from the end, which is looked for near `estimate`.
  mutating func playBackward(estimate: Int64) throws {
    var attempt: UInt32 = 0
    while true {
      var fetch = TimeDSPFetch()
      try check(timedsp_plan_end(&limits, estimate, attempt, &fetch))
      let take = arrival(of: fetch)
      if !take.frames.isEmpty {
        heard += take.frames.reversed()
        (last, blocks) = (take, 1)
        return try playBackward(from: fetch.first_frame)
      }
      if fetch.first_frame == 0 { return }
      attempt += 1
    }
  }

  /// Plays backward from `edge` to the start.
  mutating func playBackward(from edge: Int64) throws {
    var edge = edge
    while true {
      let fetch = try plan(TIMEDSP_BACKWARD, edge)
      if fetch.first_frame == fetch.end_frame { return }
      let take = arrival(of: fetch)
      let needle = edge..<edge + limits.overlap_frames
      // The numbers of a first take stand for the stream's own.
      let isWhole = last == nil && fetch.end_frame == limits.end_frame
      let end =
        isWhole ? take.end : fetch.end_frame + (try shift(of: take, needle: needle))
      guard end >= fetch.first_frame else {
        throw Unexpected(what: "a block ends before its start")
      }
      heard += take.frames(in: fetch.first_frame..<end).reversed()
      (last, edge, blocks) = (take, fetch.first_frame, blocks + 1)
    }
  }

  /// Plays forward from `edge` to the end.
  mutating func playForward(from edge: Int64) throws {
    var edge = edge
    while true {
      let fetch = try plan(TIMEDSP_FORWARD, edge)
      if fetch.first_frame == fetch.end_frame { return }
      let take = arrival(of: fetch)
      let needle = max(edge - limits.overlap_frames, 0)..<edge
      let first = edge + (try shift(of: take, needle: needle))
      let isLast = fetch.end_frame == limits.end_frame
      let end = isLast ? take.end : min(fetch.end_frame, take.end)
      guard end >= first else { throw Unexpected(what: "a block ends before its start") }
      heard += take.frames(in: first..<end)
      if take.end < fetch.end_frame { return }
      (last, edge, blocks) = (take, fetch.end_frame, blocks + 1)
    }
  }

  private mutating func plan(_ direction: TimeDSPDirection, _ edge: Int64) throws -> TimeDSPFetch {
    var fetch = TimeDSPFetch()
    try check(
      timedsp_plan_fetch(&limits, direction, edge, last == nil ? 0 : 1, blocks, &fetch))
    return fetch
  }

  /// What is kept of a take.
  private mutating func arrival(of fetch: TimeDSPFetch) -> SimulatedTake {
    stream.take(fromNs: fetch.seek_ns).keeping(fetch.keep_first_frame, fetch.keep_end_frame)
  }

  /// How many frames the numbers of `take` are ahead of those of the last
  /// take, which holds (some of) the frames `needle`.
  private func shift(of take: SimulatedTake, needle: Range<Int64>) throws -> Int64 {
    guard let last else { return 0 }
    let sound = last.frames(in: needle)
    // Where the last take does not reach as far ahead, less is compared.
    let planned = max(needle.lowerBound, last.first) - take.first
    guard planned >= 0 else { throw Unexpected(what: "the planned place is not kept") }
    let whole = Planes(interleaved: take.frames, planes: 1)
    let part = Planes(interleaved: sound, planes: 1)
    var (shift, found) = (Int64(0), Int32(0))
    try check(
      timedsp_find_take(
        whole.readable, take.frames.count, part.readable, sound.count, 1, 4, Int(planned),
        Int(limits.search_frames), &shift, &found))
    guard found == 1 else { throw Unexpected(what: "a seam is not found at \(needle)") }
    return shift
  }

  private func check(_ status: TimeDSPStatus) throws {
    if status != TIMEDSP_OK { throw Unexpected(what: "status \(status.rawValue)") }
  }
}
