// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The version of the library and of the tool; the plugin has the same.
public let version = "0.1.0"
