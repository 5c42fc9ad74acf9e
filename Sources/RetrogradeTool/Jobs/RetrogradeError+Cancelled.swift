// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension RetrogradeError.Code {
  /// The work was cancelled by a signal or a key.
  static let cancelled = Self(rawValue: "cancelled")
}

extension RetrogradeError {
  /// Converts an error that was thrown by work on a file. Any error that is not a `RetrogradeError`
  /// means that the work was cancelled.
  init(_ error: any Error) {
    self =
      error as? RetrogradeError ?? RetrogradeError(.cancelled, "The work was cancelled.")
  }
}
