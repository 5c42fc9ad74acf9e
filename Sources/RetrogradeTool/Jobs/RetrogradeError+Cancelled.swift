// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension RetrogradeError.Code {
  static let cancelled = Self(rawValue: "cancelled")
}

extension RetrogradeError {
  /// We treat any error that isn't a `RetrogradeError` as a cancellation.
  init(_ error: any Error) {
    self =
      error as? RetrogradeError ?? RetrogradeError(.cancelled, "The work was cancelled.")
  }
}
