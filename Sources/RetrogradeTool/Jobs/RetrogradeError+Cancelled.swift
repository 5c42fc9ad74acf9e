// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

extension RetrogradeError.Code {
  /// A signal or a key has cancelled the work.
  static let cancelled = Self(rawValue: "cancelled")
}

extension RetrogradeError {
  /// Converts an error that was thrown by work on a file. Errors of the library remain the same;
  /// any other error means that the work was cancelled.
  init(_ error: any Error) {
    self =
      error as? RetrogradeError ?? RetrogradeError(.cancelled, "The work was cancelled.")
  }
}
