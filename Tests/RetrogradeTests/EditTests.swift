// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Testing

@testable import Retrograde
