// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension RetrogradeError.Code {
  /// The work was cancelled, by a signal or a key.
  static let cancelled = Self(rawValue: "cancelled")
}

extension RetrogradeError {
  /// The error that work on a file threw: one of the library, or a cancellation.
  init(_ error: any Error) {
    self =
      error as? RetrogradeError ?? RetrogradeError(.cancelled, "The work was cancelled.")
  }
}
