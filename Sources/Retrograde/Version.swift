// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// The version of the library.
///
/// ```swift
/// print("made with Retrograde \(RetrogradeLibrary.version)")
/// ```
public enum RetrogradeLibrary {
  /// The version, such as "1.0.0". A plugin and a tool built from the same sources have the same
  /// version.
  public static let version = String(String(cString: cgst_version_line()).prefix { $0 != "\n" })
}
