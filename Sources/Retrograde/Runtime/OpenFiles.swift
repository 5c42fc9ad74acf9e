// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// The limit on open files of a process. If you reach it, GStreamer reports a misleading error,
/// such as a missing plugin or an unreadable file.
package enum OpenFiles {
  /// If we can still open fewer files than this, the limit explains the failure. It's above 0,
  /// because a pipeline that failed at the limit has closed some files before we check.
  private static let reserve = 16

  package static func isLimit(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }

  static var areScarce: Bool {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    while opened.count < reserve {
      let descriptor = open("/", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return isLimit(errno) }
      opened.append(descriptor)
    }
    return false
  }

  /// For the error message about a file that we can't open because too many files are open.
  package static var advice: String {
    var limit = rlimit()
    let count = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    return "too many files are open\(count ? " (the limit is \(limit.rlim_cur))" : ""); raise the "
      + "limit with ulimit -n, or work on fewer files at a time."
  }
}
