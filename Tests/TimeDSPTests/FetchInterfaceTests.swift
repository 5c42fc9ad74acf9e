// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing
import TimeDSPCore

/// Whatever C may pass: each call answers with the status that `timefetch.h`
/// names, writes nothing and does not crash.
@Suite struct FetchInterfaceTests {
  /// Numbers that are no edge of a stream.
  static let badEdges: [Int64] = [-2, 1 << 53 + 1, .max, .max - 1, .min, .min + 1, 1 << 62]
  /// Numbers that are no length; a `size_t` of `SIZE_MAX` is -1 to Swift.
  static let badSizes = [-1, .min, .max, .max - 1, 1 << 53 + 1, 1 << 61 + 1]

  static func limits() -> TimeDSPFetchLimits {
    TimeDSPFetchLimits(
      rate: 48_000, end_frame: 10_000, first_block_frames: 10, max_block_frames: 100,
      preroll_frames: 5, overlap_frames: 5, search_frames: 5)
  }

  /// Plans both ways; neither may touch the plan where it refuses.
  private func statuses(
    _ limits: TimeDSPFetchLimits, edge: Int64 = 500, direction: TimeDSPDirection = TIMEDSP_FORWARD
  ) -> [TimeDSPStatus] {
    var limits = limits
    var fetch = TimeDSPFetch()
    fetch.first_frame = 4_242
    let block = timedsp_plan_fetch(&limits, direction, edge, 1, .max, &fetch)
    if block != TIMEDSP_OK { #expect(fetch.first_frame == 4_242) }
    fetch.first_frame = 4_242
    let end = timedsp_plan_end(&limits, edge, .max, &fetch)
    if end != TIMEDSP_OK { #expect(fetch.first_frame == 4_242) }
    return [block, end]
  }

  @Test func plansRefuseWhatTheyCannotDo() {
    let good = Self.limits()
    #expect(statuses(good) == [TIMEDSP_OK, TIMEDSP_OK])
    let refused = [TIMEDSP_BAD_LENGTH, TIMEDSP_BAD_LENGTH]
    let fields: [WritableKeyPath<TimeDSPFetchLimits, Int64>] = [
      \.end_frame, \.first_block_frames, \.max_block_frames, \.preroll_frames, \.overlap_frames,
      \.search_frames,
    ]
    for field in fields {
      for number in Self.badEdges {
        var limits = good
        limits[keyPath: field] = number
        #expect(statuses(limits) == refused)
      }
      var limits = good
      limits[keyPath: field] = -1
      #expect(statuses(limits) == (field == \.end_frame ? [TIMEDSP_OK, TIMEDSP_OK] : refused))
      limits[keyPath: field] = 0
      let isLength = field == \.first_block_frames || field == \.max_block_frames
      #expect(statuses(limits) == (isLength ? refused : [TIMEDSP_OK, TIMEDSP_OK]))
      limits[keyPath: field] = 1 << 53
      #expect(statuses(limits) == [TIMEDSP_OK, TIMEDSP_OK])
    }
    var still = good
    still.rate = 0
    #expect(statuses(still) == refused)
    for edge in Self.badEdges + [-1] { #expect(statuses(good, edge: edge) == refused) }
    for direction in [2, 3, .max] as [UInt32] {
      #expect(statuses(good, direction: TimeDSPDirection(direction))[0] == TIMEDSP_BAD_LENGTH)
    }
  }

  @Test func plansNeedTheirPointers() {
    var limits = Self.limits()
    var fetch = TimeDSPFetch()
    #expect(timedsp_plan_fetch(nil, TIMEDSP_FORWARD, 0, 0, 0, &fetch) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_plan_fetch(&limits, TIMEDSP_FORWARD, 0, 0, 0, nil) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_plan_end(nil, 0, 0, &fetch) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_plan_end(&limits, 0, 0, nil) == TIMEDSP_NULL_POINTER)
  }

  /// The largest and the smallest numbers together: no sum of them traps, and
  /// every plan lies inside a stream.
  @Test func plansOfExtremesAreInsideAStream() {
    let ends: [Int64] = [0, 1, 1 << 53 - 1, 1 << 53]
    for number in 0..<4 * 4 * 4 * 4 * 4 {
      var limits = TimeDSPFetchLimits(
        rate: number % 2 == 0 ? 1 : .max, end_frame: ends[number % 4],
        first_block_frames: max(ends[number / 4 % 4], 1), max_block_frames: 1 << 53,
        preroll_frames: ends[number / 16 % 4], overlap_frames: ends[number / 64 % 4],
        search_frames: ends[number / 256 % 4])
      for (edge, before) in [(0, 0), (1, .max), (1 << 53, 0), (1 << 53, 64)] as [(Int64, UInt32)] {
        for direction in [TIMEDSP_FORWARD, TIMEDSP_BACKWARD] {
          var fetch = TimeDSPFetch()
          let status = timedsp_plan_fetch(&limits, direction, edge, 1, before, &fetch)
          let isOrdered =
            0 <= fetch.keep_first_frame && fetch.keep_first_frame <= fetch.first_frame
            && fetch.first_frame <= fetch.end_frame && fetch.end_frame <= fetch.keep_end_frame
            && fetch.keep_end_frame <= 1 << 53 && fetch.end_frame <= limits.end_frame
          #expect(status == TIMEDSP_OK && isOrdered && fetch.seek_ns <= UInt64(Int64.max))
        }
      }
    }
  }

  @Test func findRefusesWhatItCannotDo() {
    let audio = Planes<Int16>(interleaved: Array(1...8), planes: 2)
    let none = [UnsafeRawPointer?](repeating: nil, count: 2)
    var found: Int32 = 42
    var shift: Int64 = 42
    func find(
      _ take: UnsafePointer<UnsafeRawPointer?>?, _ frames: Int,
      _ needle: UnsafePointer<UnsafeRawPointer?>?, _ length: Int, planes: UInt32 = 2,
      stride: Int = 2, planned: Int = 0, search: Int = 4
    ) -> TimeDSPStatus {
      (shift, found) = (42, 42)
      let status = timedsp_find_take(
        take, frames, needle, length, planes, stride, planned, search, &shift, &found)
      #expect(shift == 0 && found == (status == TIMEDSP_OK ? 1 : 0))
      return status
    }
    let good = audio.readable
    #expect(find(good, 4, good, 4) == TIMEDSP_OK)
    #expect(find(nil, 4, good, 4) == TIMEDSP_NULL_POINTER)
    #expect(find(good, 4, nil, 4) == TIMEDSP_NULL_POINTER)
    #expect(find(none, 4, good, 4) == TIMEDSP_NULL_POINTER)
    #expect(find(good, 4, none, 4) == TIMEDSP_NULL_POINTER)
    #expect(find(nil, 0, nil, 0) == TIMEDSP_OK)
    #expect(find(none, 0, none, 0) == TIMEDSP_OK)
    for planes in [0, 1_025, .max] as [UInt32] {
      #expect(find(good, 4, good, 4, planes: planes) == TIMEDSP_BAD_CHANNELS)
    }
    for stride in [0, 8_193, -1, .min, .max] {
      #expect(find(good, 4, good, 4, stride: stride) == TIMEDSP_BAD_FRAME_SIZE)
    }
    for size in Self.badSizes {
      #expect(find(good, size, good, 4) == TIMEDSP_BAD_LENGTH)
      #expect(find(good, 4, good, size) == TIMEDSP_BAD_LENGTH)
      #expect(find(good, 4, good, 4, planned: size) == TIMEDSP_BAD_LENGTH)
      #expect(find(good, 4, good, 4, search: size) == TIMEDSP_BAD_LENGTH)
    }
    #expect(timedsp_find_take(good, 4, good, 4, 2, 2, 0, 0, nil, &found) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_find_take(good, 4, good, 4, 2, 2, 0, 0, &shift, nil) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_find_take(nil, 4, nil, 4, 2, 2, 0, 0, nil, nil) == TIMEDSP_NULL_POINTER)
  }

  @Test func alignRefusesWhatItCannotDo() {
    let audio = [1.0, 2, 3, 4]
    var (shift, error, found) = (Int64(42), 42.0, Int32(42))
    func align(
      _ take: UnsafePointer<Double>?, _ frames: Int, _ needle: UnsafePointer<Double>?,
      _ length: Int, channels: UInt32 = 2, planned: Int = 0, search: Int = 4
    ) -> TimeDSPStatus {
      (shift, error, found) = (42, 42, 42)
      let status = timedsp_align_take(
        take, frames, needle, length, channels, planned, search, &shift, &error, &found)
      let isFound = status == TIMEDSP_OK
      #expect(shift == 0 && found == (isFound ? 1 : 0) && error == (isFound ? 0 : .infinity))
      return status
    }
    #expect(align(audio, 2, audio, 2) == TIMEDSP_OK)
    #expect(align(nil, 2, audio, 2) == TIMEDSP_NULL_POINTER)
    #expect(align(audio, 2, nil, 2) == TIMEDSP_NULL_POINTER)
    #expect(align(nil, 0, nil, 0) == TIMEDSP_OK)
    for channels in [0, 1_025, .max] as [UInt32] {
      #expect(align(audio, 2, audio, 2, channels: channels) == TIMEDSP_BAD_CHANNELS)
    }
    for size in Self.badSizes {
      #expect(align(audio, size, audio, 2) == TIMEDSP_BAD_LENGTH)
      #expect(align(audio, 2, audio, size) == TIMEDSP_BAD_LENGTH)
      #expect(align(audio, 2, audio, 2, planned: size) == TIMEDSP_BAD_LENGTH)
      #expect(align(audio, 2, audio, 2, search: size) == TIMEDSP_BAD_LENGTH)
    }
    func align(
      _ shift: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<Double>?,
      _ found: UnsafeMutablePointer<Int32>?
    ) -> TimeDSPStatus {
      timedsp_align_take(audio, 2, audio, 2, 2, 0, 0, shift, error, found)
    }
    #expect(align(nil, &error, &found) == TIMEDSP_NULL_POINTER)
    #expect(align(&shift, nil, &found) == TIMEDSP_NULL_POINTER)
    #expect(align(&shift, &error, nil) == TIMEDSP_NULL_POINTER)
  }

  @Test func likenessRefusesWhatItCannotDo() {
    let audio = [1.0, 2, 3, 4]
    var answer = Int32(42)
    func alike(
      _ one: UnsafePointer<Double>?, _ other: UnsafePointer<Double>?, _ frames: Int = 2,
      channels: UInt32 = 2, rate: UInt32 = 8_000
    ) -> TimeDSPStatus {
      answer = 42
      let status = timedsp_are_alike(one, other, frames, channels, rate, &answer)
      #expect(answer == (status == TIMEDSP_OK ? 1 : 0))
      return status
    }
    #expect(alike(audio, audio) == TIMEDSP_OK)
    #expect(alike(nil, nil, 0) == TIMEDSP_OK)
    #expect(alike(nil, audio) == TIMEDSP_NULL_POINTER)
    #expect(alike(audio, nil) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_are_alike(audio, audio, 2, 2, 8_000, nil) == TIMEDSP_NULL_POINTER)
    #expect(alike(audio, audio, rate: 0) == TIMEDSP_BAD_LENGTH)
    for channels in [0, 1_025, .max] as [UInt32] {
      #expect(alike(audio, audio, channels: channels) == TIMEDSP_BAD_CHANNELS)
    }
    for size in Self.badSizes { #expect(alike(audio, audio, size) == TIMEDSP_BAD_LENGTH) }
  }

  @Test func crossfadeRefusesWhatItCannotDo() {
    var memory = [Double](repeating: 1, count: 16)
    memory.withUnsafeMutableBufferPointer { memory in
      let base = memory.baseAddress!
      let (from, to, out) = (base, base + 4, base + 8)
      #expect(timedsp_crossfade(nil, to, out, 2, 2) == TIMEDSP_NULL_POINTER)
      #expect(timedsp_crossfade(from, nil, out, 2, 2) == TIMEDSP_NULL_POINTER)
      #expect(timedsp_crossfade(from, to, nil, 2, 2) == TIMEDSP_NULL_POINTER)
      #expect(timedsp_crossfade(nil, nil, nil, 0, 2) == TIMEDSP_OK)
      for channels in [0, 1_025, .max] as [UInt32] {
        #expect(timedsp_crossfade(from, to, out, 2, channels) == TIMEDSP_BAD_CHANNELS)
      }
      for size in Self.badSizes {
        #expect(timedsp_crossfade(from, to, out, size, 2) == TIMEDSP_BAD_LENGTH)
      }
      for offset in [-3, -1, 1, 3] {
        #expect(timedsp_crossfade(out, from, out + offset, 2, 2) == TIMEDSP_OVERLAP)
        #expect(timedsp_crossfade(from, out, out + offset, 2, 2) == TIMEDSP_OVERLAP)
      }
      let top = UnsafeMutablePointer<Double>(bitPattern: UInt.max - 15)
      #expect(timedsp_crossfade(from, to, top, 2, 1) == TIMEDSP_BAD_LENGTH)
    }
    #expect(memory == [Double](repeating: 1, count: 16))
  }

  @Test func loopRangesRefuseWhatTheyCannotDo() {
    var bounds = TimeDSPRange(first_frame: 1, end_frame: 9)
    var range = TimeDSPRange(first_frame: 42, end_frame: 42)
    var markers = TimeDSPMarkers(42)
    for edge in Self.badEdges {
      #expect(timedsp_loop_range(&bounds, edge, 5, &range, &markers) == TIMEDSP_BAD_LENGTH)
      #expect(timedsp_loop_range(&bounds, 5, edge, &range, &markers) == TIMEDSP_BAD_LENGTH)
      for (first, end) in [(edge, 9), (1, edge), (-1, 9), (9, 1)] as [(Int64, Int64)] {
        var bad = TimeDSPRange(first_frame: first, end_frame: end)
        #expect(timedsp_loop_range(&bad, 2, 3, &range, &markers) == TIMEDSP_BAD_LENGTH)
      }
    }
    #expect(timedsp_loop_range(nil, 2, 3, &range, &markers) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_loop_range(&bounds, 2, 3, nil, &markers) == TIMEDSP_NULL_POINTER)
    #expect(timedsp_loop_range(&bounds, 2, 3, &range, nil) == TIMEDSP_NULL_POINTER)
    #expect(range.first_frame == 42 && range.end_frame == 42 && markers == TimeDSPMarkers(42))
  }

  @Test func lapsRefuseWhatTheyCannotDo() {
    var range = TimeDSPRange(first_frame: 1, end_frame: 9)
    var step = TimeDSPStep(frame: 42, direction: TIMEDSP_BACKWARD)
    func next(_ loop: UInt32, _ direction: UInt32) -> TimeDSPStatus {
      timedsp_next_lap(TimeDSPLoop(loop), TimeDSPDirection(direction), &range, &step)
    }
    for number in [3, 4, .max] as [UInt32] {
      #expect(next(number, 0) == TIMEDSP_BAD_LENGTH)
      #expect(next(0, number) == TIMEDSP_BAD_LENGTH)
    }
    #expect(next(0, 2) == TIMEDSP_BAD_LENGTH)
    for edge in Self.badEdges {
      for (first, end) in [(edge, 9), (1, edge), (-1, 9), (9, 1)] as [(Int64, Int64)] {
        range = TimeDSPRange(first_frame: first, end_frame: end)
        for loop in 0...2 as ClosedRange<UInt32> {
          for direction in 0...1 as ClosedRange<UInt32> {
            #expect(next(loop, direction) == TIMEDSP_BAD_LENGTH)
          }
        }
      }
    }
    range = TimeDSPRange(first_frame: 1, end_frame: 9)
    #expect(
      timedsp_next_lap(TIMEDSP_LOOP_REPEAT, TIMEDSP_FORWARD, nil, &step) == TIMEDSP_NULL_POINTER)
    #expect(
      timedsp_next_lap(TIMEDSP_LOOP_REPEAT, TIMEDSP_FORWARD, &range, nil) == TIMEDSP_NULL_POINTER)
    #expect(step.frame == 42 && step.direction == TIMEDSP_BACKWARD)
  }
}
