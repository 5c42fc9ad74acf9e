// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// Keeps freed memory in the process for later buffers, instead of returning it to the system. Only
/// meant for programs that process files and then exit. Call it before there are other threads.
package func keepFreedMemory() { cgst_keep_freed_memory() }
