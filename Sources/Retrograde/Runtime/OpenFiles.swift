// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// The limit on open files of a process. If it is reached, GStreamer reports a misleading error,
/// such as a missing plugin or an unreadable file.
package enum OpenFiles {
  /// If fewer files than this can still be opened, the limit explains the failure. The number is
  /// above 0, because a pipeline that failed at the limit has closed some files before the check.
  private static let reserve = 16

  package static func isLimit(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }

  /// Whether fewer than `reserve` more files can be opened, which then explains a failure.
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

  /// Text for the error message about a file that cannot be opened because too many files are open.
  package static var advice: String {
    var limit = rlimit()
    let count = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    return "too many files are open\(count ? " (the limit is \(limit.rlim_cur))" : ""); raise the "
      + "limit with ulimit -n, or work on fewer files at a time."
  }
}
