// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// The limit on a process's open files. When you hit it, GStreamer reports misleading errors, such
/// as a missing plugin or an unreadable file.
package enum OpenFiles {
  /// If we can open fewer files than this, we put a failure down to the limit. It's above 0,
  /// because a pipeline that failed at the limit will have closed some files by the time we check.
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

  /// What an error message says if we can't open a file because too many are open.
  package static var advice: String {
    var limit = rlimit()
    let count = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    return "too many files are open\(count ? " (the limit is \(limit.rlim_cur))" : ""); raise the "
      + "limit with ulimit -n, or work on fewer files at a time."
  }
}
