// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

struct PluginRefusal {
  let file: URL
  /// GStreamer's reason, which doesn't say which version of GStreamer the plugin needs.
  let reason: String

  var error: RetrogradeError {
    let builtWith = cgst_plugin_minor_version(file.path, "retrograde")
    var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
    gst_version(&major, &minor, &micro, &nano)
    return RetrogradeError(
      .pluginNotFound, sentence(builtWith: Int(clamping: builtWith), running: Int(clamping: minor)))
  }

  /// The sentence for the user. The arguments are minor versions of GStreamer, e.g. 22 for 1.22.
  /// `builtWith` is the plugin's minimum, or -1 if unknown, and `running` is the version in use.
  func sentence(builtWith: Int, running: Int) -> String {
    guard builtWith > running else {
      return "The plugin \(file.path) cannot be loaded; reinstall Retrograde. "
        + "GStreamer says: \(reason)"
    }
    return "The plugin \(file.path) needs GStreamer 1.\(builtWith) or newer, and this is "
      + "1.\(running); install a newer GStreamer, or a Retrograde that was built with 1.\(running)."
  }
}
