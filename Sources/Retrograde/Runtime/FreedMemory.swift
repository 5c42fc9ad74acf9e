// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// Makes the process keep freed memory for later buffers, instead of returning it to the system.
/// Only for programs that process files and end. Must be called before there are other threads.
package func keepFreedMemory() { cgst_keep_freed_memory() }
