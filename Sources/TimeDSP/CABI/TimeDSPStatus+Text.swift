// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

// The conformance isn't really retroactive, because it's our own enumeration, just declared in C.
// swift-format-ignore: AvoidRetroactiveConformances
extension TimeDSPStatus: @retroactive Error {}

@inline(__always)
func status(of body: () throws(TimeDSPStatus) -> Void) -> TimeDSPStatus {
  do {
    try body()
    return TIMEDSP_OK
  } catch {
    return error
  }
}

@inline(__always)
func require(_ condition: Bool, else status: TimeDSPStatus) throws(TimeDSPStatus) {
  if !condition { throw status }
}

/// See `timedsp.h`.
@c @implementation
public func timedsp_status_text(_ status: TimeDSPStatus) -> UnsafePointer<CChar>! {
  switch status {
  case TIMEDSP_OK: c("No error.")
  case TIMEDSP_NULL_POINTER: c("A pointer that must be set is NULL.")
  case TIMEDSP_BAD_FORMAT: c("There is no such sample format or layout.")
  case TIMEDSP_BAD_INTERPOLATION: c("There is no such interpolation.")
  case TIMEDSP_BAD_CHANNELS: c("The number of channels is not between 1 and 1024.")
  case TIMEDSP_BAD_FRAME_SIZE: c("The size of a frame is not between 1 and 8192 bytes.")
  case TIMEDSP_BAD_FACTOR: c("The factor cannot be changed or is not between 0.01 and 100.")
  case TIMEDSP_BAD_LENGTH: c("There are more frames than fit in memory or in a stream.")
  case TIMEDSP_OVERLAP: c("Input and output share memory.")
  case TIMEDSP_OUTPUT_TOO_SMALL: c("The output has no room for the result.")
  case TIMEDSP_FINISHED: c("The input has already ended.")
  case TIMEDSP_NO_MEMORY: c("There is not enough memory.")
  case TIMEDSP_BAD_QUALITY: c("The quality is not between 0 and 10.")
  case TIMEDSP_BAD_SPEED: c("The speed is not between -8 and 8.")
  default: c("Unknown status.")
  }
}

/// We inline this so that the compiler can drop the trap for a `StaticString` that isn't a string.
@inline(__always)
private func c(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
