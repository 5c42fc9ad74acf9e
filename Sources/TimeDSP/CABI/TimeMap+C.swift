// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Starts a map of times. See `timedsp.h`.
@c @implementation
public func timedsp_time_map_start(
  _ map: UnsafeMutablePointer<TimeDSPTimeMap>!, _ factor: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let map, let pairs = map.pointee.pairs else { throw TIMEDSP_NULL_POINTER }
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    try require(map.pointee.capacity >= 2, else: TIMEDSP_BAD_LENGTH)
    var times = TimeMap(pairs, capacity: map.pointee.capacity, count: 0, factor: fraction)
    times.start(fraction)
    map.pointee.count = times.count
    map.pointee.factor = factor
  }
}

/// Bends a map of times. See `timedsp.h`.
@c @implementation
public func timedsp_time_map_bend(
  _ map: UnsafeMutablePointer<TimeDSPTimeMap>!, _ input: UInt64, _ output: UInt64,
  _ factor: Double
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let map, var times = TimeMap(map.pointee) else { throw TIMEDSP_NULL_POINTER }
    guard let fraction = Fraction(factor: factor) else { throw TIMEDSP_BAD_FACTOR }
    try require(max(input, output) <= TimeMap.latest, else: TIMEDSP_BAD_LENGTH)
    times.bend(at: TimeDSPTimePair(in: input, out: output), fraction)
    map.pointee.count = times.count
    map.pointee.factor = factor
  }
}

/// Maps a time of the input. See `timedsp.h`.
@c @implementation
public func timedsp_time_map_to_output(
  _ map: UnsafePointer<TimeDSPTimeMap>!, _ input: UInt64
) -> UInt64 {
  guard let map, let times = TimeMap(map.pointee) else { return 0 }
  return times.output(min(input, TimeMap.latest))
}

/// Maps a time of the output. See `timedsp.h`.
@c @implementation
public func timedsp_time_map_to_input(
  _ map: UnsafePointer<TimeDSPTimeMap>!, _ output: UInt64
) -> UInt64 {
  guard let map, let times = TimeMap(map.pointee) else { return 0 }
  return times.input(min(output, TimeMap.latest))
}

extension TimeMap {
  /// What C keeps of it; `nil` if it was not started.
  init?(_ map: TimeDSPTimeMap) {
    guard let pairs = map.pairs, map.count > 0, map.count <= map.capacity,
      let factor = Fraction(factor: map.factor)
    else { return nil }
    self.init(pairs, capacity: map.capacity, count: map.count, factor: factor)
  }
}
