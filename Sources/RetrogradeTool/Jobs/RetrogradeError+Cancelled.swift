// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension RetrogradeError.Code {
  static let cancelled = Self(rawValue: "cancelled")
}

extension RetrogradeError {
  /// Any error that isn't a `RetrogradeError` means that the work was cancelled.
  init(_ error: any Error) {
    self =
      error as? RetrogradeError ?? RetrogradeError(.cancelled, "The work was cancelled.")
  }
}
