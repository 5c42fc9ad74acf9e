// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Makes an empty list of runs. See `timekept.h`.
@c @implementation
public func timekept_new(_ rate: UInt32, _ maxBytes: UInt64) -> OpaquePointer! {
  do throws(TimeDSPStatus) {
    return OpaquePointer(try allocated(KeptRuns(rate: rate, mostBytes: maxBytes)))
  } catch {
    return nil
  }
}

/// Frees the list. See `timekept.h`.
@c @implementation
public func timekept_free(_ kept: OpaquePointer!) {
  KeptRuns.free(kept)
}

/// Adds frames. See `timekept.h`.
@c @implementation
public func timekept_add(
  _ kept: OpaquePointer!, _ timeNs: UInt64, _ frames: UInt64, _ jumps: Int32, _ gap: Int32
) -> TimeDSPStatus {
  status { () throws(TimeDSPStatus) in
    guard let kept = value(of: kept) else { throw TIMEDSP_NULL_POINTER }
    try kept.pointee.add(frames, at: timeNs, jumps: jumps != 0, isGap: gap != 0)
  }
}

/// Number of runs. See `timekept.h`.
@c @implementation
public func timekept_count(_ kept: OpaquePointer!) -> Int {
  value(of: kept)?.pointee.count ?? 0
}

/// Drops the frames after the stop. See `timekept.h`.
@c @implementation
public func timekept_cut(_ kept: OpaquePointer!, _ stopNs: UInt64) {
  value(of: kept)?.pointee.cut(at: stopNs)
}

/// Prepares the reverse output. See `timekept.h`.
@c @implementation
public func timekept_turn(
  _ kept: OpaquePointer!, _ startNs: UInt64, _ stopNs: UnsafeMutablePointer<UInt64>!
) -> UInt64 {
  guard let kept = value(of: kept), let stopNs else { return startNs }
  let ends = kept.pointee.turn(from: startNs)
  stopNs.pointee = ends.stopNs
  return ends.outputEndNs
}

/// Returns the next run of the output. See `timekept.h`.
@c @implementation
public func timekept_next(
  _ kept: OpaquePointer!, _ run: UnsafeMutablePointer<TimeKeptRun>!
) -> Int32 {
  guard let run, let next = value(of: kept)?.pointee.next() else { return 0 }
  run.pointee = next
  return 1
}

/// The list of runs that a C pointer refers to.
private func value(of pointer: OpaquePointer?) -> UnsafeMutablePointer<KeptRuns>? {
  UnsafeMutablePointer(pointer)
}
