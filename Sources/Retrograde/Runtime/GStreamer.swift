// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials

enum GStreamer {
  static func start() throws(RetrogradeError) {
    try started.get()
  }

  static func has(_ element: String) -> Bool {
    guard let factory = gst_element_factory_find(element) else { return false }
    gst_object_unref(UnsafeMutableRawPointer(factory))
    return true
  }

  private static let started: Result<Void, RetrogradeError> = {
    var error: UnsafeMutablePointer<GError>?
    guard gst_init_check(nil, nil, &error) != 0 else {
      let reason = consumeMessage(of: error)
      return .failure(RetrogradeError(.pipelineFailed, "GStreamer could not be started: \(reason)"))
    }
    return loadPlugin()
  }()

  /// Our files take precedence over the plugin that GStreamer finds on its own.
  private static func loadPlugin() -> Result<Void, RetrogradeError> {
    let files = PluginSearch().files
    for file in files where load(file) == nil { return .success(()) }
    if hasElements { return .success(()) }
    guard let file = files.first, let reason = load(file) else {
      return .failure(PluginSearch.notFound)
    }
    return .failure(
      RetrogradeError(
        .pluginNotFound,
        "The plugin \(file.path) cannot be loaded; reinstall a Retrograde that was built for this "
          + "\(adopt(gst_version_string())). (\(reason))"))
  }

  private static var hasElements: Bool { has("revbuf") && has("timescale") }

  private static func load(_ file: URL) -> String? {
    var error: UnsafeMutablePointer<GError>?
    guard let plugin = gst_plugin_load_file(file.path, &error) else {
      return consumeMessage(of: error)
    }
    gst_object_unref(UnsafeMutableRawPointer(plugin))
    return hasElements ? nil : "it does not contain revbuf and timescale."
  }
}

func consumeMessage(of error: UnsafeMutablePointer<GError>?) -> String {
  guard let error else { return "the reason is not known." }
  defer { g_error_free(error) }
  return String(cString: error.pointee.message)
}
