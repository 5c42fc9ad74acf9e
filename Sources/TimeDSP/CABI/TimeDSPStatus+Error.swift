// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

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
