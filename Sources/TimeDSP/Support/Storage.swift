// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Memory from `malloc`, freed with its owner.
///
/// Swift's own allocation ends the process where there is no memory; this one
/// can say so.
struct Storage: ~Copyable {
  let base: UnsafeMutableRawPointer

  /// Throws where the memory cannot be had.
  init(bytes: Int) throws(TimeDSPStatus) {
    guard let base = timedsp_allocate(bytes) else { throw TIMEDSP_NO_MEMORY }
    self.base = base
  }

  deinit { timedsp_deallocate(base) }
}
