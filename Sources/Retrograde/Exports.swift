// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

@_exported import AudioModel
import FoundationEssentials

extension RetrogradeError: LocalizedError {
  /// The same as ``message``.
  public var errorDescription: String? { message }
}
