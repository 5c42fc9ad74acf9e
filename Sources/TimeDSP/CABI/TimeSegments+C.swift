// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Begins with nothing. See `timesegment.h`.
@c @implementation
public func timesegment_init(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ pairs: UnsafeMutablePointer<TimeDSPTimePair>!,
  _ capacity: Int, _ waiting: UnsafeMutablePointer<TimeSegment>!, _ waitingCapacity: Int
) {
  segments?.initialize(
    to: TimeSegments(pairs, capacity: capacity, waiting, waitingCapacity: waitingCapacity))
}

/// Starts the running time again. See `timesegment.h`.
@c @implementation
public func timesegment_reset(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ factor: Double
) {
  segments?.pointee.reset(factor)
}

/// Starts a segment. See `timesegment.h`.
@c @implementation
public func timesegment_start(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ input: UnsafePointer<TimeSegment>!,
  _ factor: Double, _ absorb: Int32, _ rate: UInt32
) {
  guard let input else { return }
  segments?.pointee.start(input.pointee, factor, absorbs: absorb != 0, rate: rate)
}

/// Answers a seek. See `timesegment.h`.
@c @implementation
public func timesegment_settle(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ seek: UnsafePointer<TimeSeek>!
) {
  guard let seek else { return }
  segments?.pointee.settle(seek.pointee)
}

/// Makes room behind the stop. See `timesegment.h`.
@c @implementation
public func timesegment_allow_surplus(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ durationNs: UInt64, _ rate: UInt32
) {
  segments?.pointee.allowSurplus(durationNs, rate: rate)
}

/// The factor of a segment. See `timesegment.h`.
@c @implementation
public func timesegment_effective(
  _ segments: UnsafePointer<TimeSegments>!, _ factor: Double
) -> Double {
  segments?.pointee.effective(factor) ?? factor
}

/// How fast a move is. See `timesegment.h`.
@c @implementation
public func timesegment_mean_speed(
  _ segments: UnsafePointer<TimeSegments>!, _ factor: Double
) -> Double {
  segments?.pointee.meanSpeed(to: factor) ?? 1
}

/// Moves the factor. See `timesegment.h`.
@c @implementation
public func timesegment_move(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ inNs: UInt64, _ outNs: UInt64,
  _ factor: Double, _ wayNs: Double
) {
  segments?.pointee.move(at: inNs, outNs, to: factor, within: wayNs)
}

/// Takes another factor. See `timesegment.h`.
@c @implementation
public func timesegment_take_factor(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ inNs: UInt64, _ factor: Double
) -> Int32 {
  segments?.pointee.takeFactor(factor, from: inNs) == true ? 1 : 0
}

/// Corrects the map. See `timesegment.h`.
@c @implementation
public func timesegment_note(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ inNs: UInt64, _ outNs: UInt64,
  _ toleranceNs: UInt64
) {
  segments?.pointee.note(inNs, at: outNs, toleranceNs: toleranceNs)
}

/// Changes the rate. See `timesegment.h`.
@c @implementation
public func timesegment_multiply_rate(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ multiplier: Double
) {
  segments?.pointee.multiplyRate(multiplier)
}

/// Begins a segment of the output. See `timesegment.h`.
@c @implementation
public func timesegment_begin(_ segments: UnsafeMutablePointer<TimeSegments>!, _ outNs: UInt64) {
  segments?.pointee.begin(at: outNs)
}

/// Goes on to the segment that begins. See `timesegment.h`.
@c @implementation
public func timesegment_turn(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ atNs: UInt64
) -> Int32 {
  segments?.pointee.turn(at: atNs) == true ? 1 : 0
}

/// How far the next segment is. See `timesegment.h`.
@c @implementation
public func timesegment_frames_left(
  _ segments: UnsafePointer<TimeSegments>!, _ atNs: UInt64, _ rate: UInt32
) -> UInt64 {
  segments?.pointee.framesLeft(from: atNs, rate: rate) ?? .max
}

/// Ends the input. See `timesegment.h`.
@c @implementation
public func timesegment_end(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ inNs: UInt64, _ outNs: UInt64,
  _ toleranceNs: UInt64
) {
  segments?.pointee.end(inNs, at: outNs, toleranceNs: toleranceNs)
}

/// Moves the end of the output. See `timesegment.h`.
@c @implementation
public func timesegment_set_stop(
  _ segments: UnsafeMutablePointer<TimeSegments>!, _ outNs: UInt64
) {
  segments?.pointee.newest.stop = outNs
}

/// Where a time of the input lies. See `timesegment.h`.
@c @implementation
public func timesegment_map(
  _ segments: UnsafePointer<TimeSegments>!, _ inNs: UInt64
) -> UInt64 {
  segments?.pointee.mapped(inNs) ?? inNs
}

/// Whether the segment that was sent is wrong. See `timesegment.h`.
@c @implementation
public func timesegment_is_outdated(
  _ segments: UnsafePointer<TimeSegments>!, _ sentStopNs: UInt64, _ frameNs: UInt64
) -> Int32 {
  segments?.pointee.isOutdated(sentStopNs, frameNs: frameNs) == true ? 1 : 0
}
