// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// The version of the library and of the tool; the plugin has the same, from the
/// same file `VERSION`.
public let version = String(String(cString: cgst_version_line()).prefix { $0 != "\n" })
