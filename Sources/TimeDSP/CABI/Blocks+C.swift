// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// See `timeblocks.h` for all functions in this file.

import CTimeDSP

extension Cursor: HeldByC {}

extension BlockPlanner {
  /// How much the `Decode.offset` of two decodes may differ if they're from the same stream.
  var offsetTolerance: UInt64 { secondNs.quotient(by: UInt64(max(limits.rate, 1))) }
}

private func cursor(_ blocks: OpaquePointer) -> UnsafeMutablePointer<Cursor> {
  UnsafeMutablePointer(blocks)
}

// ---- decodes ----

@c @implementation
public func timedecode_add(
  _ decode: OpaquePointer, _ buffer: UnsafePointer<TimeDecodeBuffer>,
  _ format: UnsafePointer<TimeBlocksFormat>, _ first: UnsafeMutablePointer<Int>
) -> Int32 {
  DecodePointer(decode).pointee.add(buffer.pointee, format.pointee, from: &first.pointee)
  return DecodePointer(decode).pointee.state == .open ? 1 : 0
}

@c @implementation
public func timedecode_end(_ decode: OpaquePointer) { DecodePointer(decode).pointee.end() }

@c @implementation
public func timedecode_continue(_ decode: OpaquePointer, _ frame: Int64) -> Int32 {
  DecodePointer(decode).pointee.goOn(at: frame) ? 1 : 0
}

@c @implementation
public func timedecode_next_frame(_ decode: OpaquePointer) -> Int64 {
  DecodePointer(decode).pointee.nextFrame
}

@c @implementation
public func timedecode_is_from_zero(_ decode: OpaquePointer) -> Int32 {
  DecodePointer(decode).pointee.isFromZero ? 1 : 0
}

@c @implementation
public func timedecode_free(_ decode: OpaquePointer?) {
  Decode.free(decode.map { DecodePointer($0) })
}

// ---- blocks ----

@c @implementation
public func timeblocks_new(_ convert: TimeBlocksConvert) -> OpaquePointer? {
  (try? allocated(Cursor(convert: convert))).map { OpaquePointer($0) }
}

@c @implementation
public func timeblocks_free(_ blocks: OpaquePointer?) { Cursor.free(blocks) }

@c @implementation
public func timeblocks_open(
  _ blocks: OpaquePointer, _ format: UnsafePointer<TimeBlocksFormat>,
  _ settings: UnsafePointer<TimeBlocksSettings>, _ firstFrame: Int64
) {
  cursor(blocks).pointee.planner.settings = settings.pointee
  cursor(blocks).pointee.open(format.pointee)
  cursor(blocks).pointee.planner.firstFrame = firstFrame
}

@c @implementation
public func timeblocks_clear(_ blocks: OpaquePointer) { cursor(blocks).pointee.planner.clear() }

@c @implementation
public func timeblocks_record_start(
  _ blocks: OpaquePointer, _ firstFrame: Int64, _ stopFrame: Int64
) -> OpaquePointer? {
  (try? cursor(blocks).pointee.planner.awaitStart(at: firstFrame, before: stopFrame)).map {
    OpaquePointer($0)
  }
}

@c @implementation
public func timeblocks_end_recording(
  _ blocks: OpaquePointer, _ decode: OpaquePointer,
  _ report: UnsafeMutablePointer<TimeBlocksReport>
) -> Int32 {
  cursor(blocks).pointee.planner.arrived = DecodePointer(decode)
  guard case .failed(let failure) = cursor(blocks).pointee.planner.admit(TIMEDSP_FORWARD, 0)
  else { return 1 }
  report.pointee = failure
  return 0
}

@c @implementation
public func timeblocks_configure(
  _ blocks: OpaquePointer, _ settings: UnsafePointer<TimeBlocksSettings>
) -> Int32 {
  cursor(blocks).pointee.planner.settings = settings.pointee
  return cursor(blocks).pointee.followSwitch() ? 1 : 0
}

@c @implementation
public func timeblocks_go(_ blocks: OpaquePointer, _ target: UnsafePointer<TimeBlocksTarget>) {
  cursor(blocks).pointee.serve(target.pointee)
}

@c @implementation
public func timeblocks_move(
  _ blocks: OpaquePointer, _ boundary: Int64, _ velocity: Double, _ inLoop: Int32
) {
  cursor(blocks).pointee.move(
    to: boundary, TimeDSPDirection(velocity: velocity), inLoop: inLoop != 0)
}

@c @implementation
public func timeblocks_set_velocity(_ blocks: OpaquePointer, _ velocity: Double) -> Int32 {
  if TimeDSPDirection(velocity: velocity) == cursor(blocks).pointee.direction { return 0 }
  cursor(blocks).pointee.setDirection(TimeDSPDirection(velocity: velocity))
  return 1
}

@c @implementation
public func timeblocks_want(
  _ blocks: OpaquePointer, _ decode: OpaquePointer?, _ endFrame: Int64,
  _ fetch: UnsafeMutablePointer<TimeBlocksFetch>,
  _ report: UnsafeMutablePointer<TimeBlocksReport>
) -> TimeBlocksWant {
  if let decode { cursor(blocks).pointee.planner.arrived = DecodePointer(decode) }
  if endFrame != unknownFrame { cursor(blocks).pointee.planner.estimate = endFrame }
  while true {
    switch cursor(blocks).pointee.fetch() {
    case .idle: return TIMEBLOCKS_NOTHING
    case .active: continue
    case .askDuration: return TIMEBLOCKS_THE_END
    case .failed(let failure):
      report.pointee = failure
      return TIMEBLOCKS_FAILED
    case .fetch(let decode, let mayContinue):
      fetch.pointee = TimeBlocksFetch(
        decode: OpaquePointer(decode), seek_half_frames: decode.pointee.fetch.seekHalfFrames,
        may_continue: mayContinue ? 1 : 0)
      return TIMEBLOCKS_FETCH
    }
  }
}

@c @implementation
public func timeblocks_cancel(_ blocks: OpaquePointer, _ decode: OpaquePointer) {
  if cursor(blocks).pointee.planner.fetching == DecodePointer(decode) {
    cursor(blocks).pointee.planner.fetching = nil
  }
  Decode.free(DecodePointer(decode))
}

@c @implementation
public func timeblocks_read(
  _ blocks: OpaquePointer, _ span: UnsafeMutablePointer<TimeBlocksSpan>
) -> Int32 {
  let count = cursor(blocks).pointee.sendableFrames
  guard count > 0, let next = cursor(blocks).pointee.nextFrames(count) else { return 0 }
  span.pointee = next
  cursor(blocks).pointee.advance(count)
  return 1
}

@c @implementation
public func timeblocks_next_pass(_ blocks: OpaquePointer) -> Int32 {
  cursor(blocks).pointee.nextPass() ? 1 : 0
}

@c @implementation
public func timeblocks_get_report(
  _ blocks: OpaquePointer, _ report: UnsafeMutablePointer<TimeBlocksReport>
) -> Int32 {
  guard let next = cursor(blocks).pointee.planner.nextReport() else { return 0 }
  report.pointee = next
  return 1
}

@c @implementation
public func timeblocks_get_state(
  _ blocks: OpaquePointer, _ state: UnsafeMutablePointer<TimeBlocksState>
) {
  let cursor = cursor(blocks)
  state.pointee = TimeBlocksState(
    format: cursor.pointee.planner.format, velocity: cursor.pointee.isBackward ? -1 : 1,
    boundary: cursor.pointee.boundary,
    ready_frames: cursor.pointee.sendableFrames,
    left_frames: cursor.pointee.leftInPass, pass_first_frame: cursor.pointee.pass.firstFrame,
    pass_end_frame: cursor.pointee.pass.endFrame,
    stops_early: cursor.pointee.stopInStream == nil ? 0 : 1,
    is_last_pass: cursor.pointee.isOnLastPass ? 1 : 0,
    is_fetching: cursor.pointee.planner.fetching == nil ? 0 : 1,
    is_lost: cursor.pointee.hasLostStream ? 1 : 0,
    first_frame: cursor.pointee.planner.firstFrame,
    end_frame: cursor.pointee.planner.limits.endFrame, stats: cursor.pointee.planner.stats,
    preroll_frames: cursor.pointee.planner.limits.prerollFrames)
}
