// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Looks for the bytes of a needle. See `timefetch.h`.
@c @implementation
public func timedsp_find_take(
  _ take: UnsafePointer<UnsafeRawPointer?>!, _ takeFrames: Int,
  _ needle: UnsafePointer<UnsafeRawPointer?>!, _ needleFrames: Int, _ planes: UInt32,
  _ strideBytes: Int, _ plannedFrame: Int, _ searchFrames: Int,
  _ shift: UnsafeMutablePointer<Int64>!, _ found: UnsafeMutablePointer<Int32>!
) -> TimeDSPStatus {
  shift?.pointee = 0
  found?.pointee = 0
  return status { () throws(TimeDSPStatus) in
    guard let shift, let found else { throw TIMEDSP_NULL_POINTER }
    let planes = try channelCount(planes)
    let sizes = 1...Int(TIMEDSP_MAX_FRAME_BYTES)
    try require(sizes.contains(strideBytes), else: TIMEDSP_BAD_FRAME_SIZE)
    try requireFrames(plannedFrame)
    try requireFrames(searchFrames)
    _ = try PlaneList(take, count: planes, frames: takeFrames, frameBytes: strideBytes)
    _ = try PlaneList(needle, count: planes, frames: needleFrames, frameBytes: strideBytes)
    if needleFrames == 0 {
      found.pointee = 1
      return
    }
    // NULL only where there are no frames of it, so nothing can be found.
    guard let take, let needle,
      let places = SearchPlaces(
        take: takeFrames, needle: needleFrames, planned: plannedFrame, search: searchFrames)
    else { return }
    let search = TakeSearch(
      take: take, needle: needle, planes: planes, strideBytes: strideBytes,
      needleFrames: needleFrames)
    guard let place = search.firstMatch(in: places) else { return }
    shift.pointee = Int64(truncatingIfNeeded: place &- plannedFrame)
    found.pointee = 1
  }
}

/// Looks for the place that differs least. See `timefetch.h`.
@c @implementation
public func timedsp_align_take(
  _ take: UnsafePointer<Double>!, _ takeFrames: Int, _ needle: UnsafePointer<Double>!,
  _ needleFrames: Int, _ channels: UInt32, _ plannedFrame: Int, _ searchFrames: Int,
  _ shift: UnsafeMutablePointer<Int64>!, _ error: UnsafeMutablePointer<Double>!,
  _ found: UnsafeMutablePointer<Int32>!
) -> TimeDSPStatus {
  shift?.pointee = 0
  error?.pointee = .infinity
  found?.pointee = 0
  return status { () throws(TimeDSPStatus) in
    guard let shift, let error, let found else { throw TIMEDSP_NULL_POINTER }
    let channels = try channelCount(channels)
    try requireFrames(plannedFrame)
    try requireFrames(searchFrames)
    _ = try samples(take, frames: takeFrames, channels: channels)
    _ = try samples(needle, frames: needleFrames, channels: channels)
    if needleFrames == 0 {
      error.pointee = 0
      found.pointee = 1
      return
    }
    guard let take, let needle,
      let places = SearchPlaces(
        take: takeFrames, needle: needleFrames, planned: plannedFrame, search: searchFrames)
    else { return }
    let alignment = TakeAlignment(
      take: UnsafeRawPointer(take), needle: UnsafeRawPointer(needle), channels: channels,
      needleFrames: needleFrames)
    guard let place = alignment.best(of: places, planned: plannedFrame) else { return }
    shift.pointee = Int64(truncatingIfNeeded: place.frame &- plannedFrame)
    error.pointee = alignment.relativeError(of: place)
    found.pointee = 1
  }
}

/// Compares what no decoder makes up. See `timefetch.h`.
@c @implementation
public func timedsp_are_alike(
  _ one: UnsafePointer<Double>!, _ other: UnsafePointer<Double>!, _ frames: Int,
  _ channels: UInt32, _ rate: UInt32, _ alike: UnsafeMutablePointer<Int32>!
) -> TimeDSPStatus {
  alike?.pointee = 0
  return status { () throws(TimeDSPStatus) in
    guard let alike else { throw TIMEDSP_NULL_POINTER }
    let channels = try channelCount(channels)
    try require(rate > 0, else: TIMEDSP_BAD_LENGTH)
    _ = try samples(one, frames: frames, channels: channels)
    _ = try samples(other, frames: frames, channels: channels)
    guard frames > 0, let one, let other else {
      alike.pointee = 1
      return
    }
    let likeness = TakeLikeness(
      one: UnsafeRawPointer(one), other: UnsafeRawPointer(other), frames: frames,
      channels: channels)
    alike.pointee = likeness.areAlike(rate: Int(rate)) ? 1 : 0
  }
}

/// Fades from one run of audio to another. See `timefetch.h`.
@c @implementation
public func timedsp_crossfade(
  _ from: UnsafePointer<Double>!, _ to: UnsafePointer<Double>!,
  _ output: UnsafeMutablePointer<Double>!, _ frames: Int, _ channels: UInt32
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    let channels = try channelCount(channels)
    let start = try samples(from, frames: frames, channels: channels)
    let end = try samples(to, frames: frames, channels: channels)
    let target = try samples(output, frames: frames, channels: channels)
    try require(start.start == target.start || !start.overlaps(target), else: TIMEDSP_OVERLAP)
    try require(end.start == target.start || !end.overlaps(target), else: TIMEDSP_OVERLAP)
    guard frames > 0, let from, let to, let output else { return }
    Crossfade(
      from: UnsafeRawPointer(from), to: UnsafeRawPointer(to),
      output: UnsafeMutableRawPointer(output), frames: frames, channels: channels
    ).run()
  }
}

/// A number of channels or of planes, if a stream may have as many.
private func channelCount(_ count: UInt32) throws(TimeDSPStatus) -> Int {
  try require(
    count >= 1 && count <= UInt32(TIMEDSP_MAX_CHANNELS), else: TIMEDSP_BAD_CHANNELS)
  return Int(truncatingIfNeeded: count)
}

/// The addresses of interleaved samples; none where there are no frames.
private func samples(
  _ base: UnsafePointer<Double>?, frames: Int, channels: Int
) throws(TimeDSPStatus) -> MemoryRange {
  if frames == 0 { return .empty }
  guard let base else { throw TIMEDSP_NULL_POINTER }
  let frameBytes = channels &* MemoryLayout<Double>.stride
  return try MemoryRange(UnsafeRawPointer(base), frames: frames, frameBytes: frameBytes)
}
