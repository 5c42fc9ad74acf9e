// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials

/// Where the plugin may lie.
struct PluginSearch {
  static let fileName = "libgstretrograde.so"

  /// The program's own file, with all links followed.
  let program: URL
  /// GST_PLUGIN_PATH, or that of this version of GStreamer.
  let pluginPath: String

  init(
    program: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.program = program
    pluginPath = environment["GST_PLUGIN_PATH_1_0"] ?? environment["GST_PLUGIN_PATH"] ?? ""
  }

  /// The plugin's files that are there in the folders that the user has named.
  var filesNamedByEnvironment: [URL] {
    pluginPath.split(separator: ":")
      .map { URL(fileURLWithPath: String($0)).appendingPathComponent(Self.fileName) }
      .filter(Self.exists)
  }

  /// The plugin's files that are there: beside the program, in the `lib` folder
  /// next to its `bin`, in the build folder of the tree that it was built in.
  var files: [URL] {
    (besideProgram + inLibraries + inBuildFolders)
      .map { $0.appendingPathComponent(Self.fileName) }.filter(Self.exists)
  }

  var notFound: RetrogradeError {
    RetrogradeError(
      .pluginNotFound,
      "The plugin \(Self.fileName) was not found; run `make build` (or `make install`) in "
        + "Retrograde's folder, or name its folder in GST_PLUGIN_PATH.")
  }

  private var folder: URL { program.deletingLastPathComponent() }

  private var besideProgram: [URL] {
    [folder, folder.appendingPathComponent("gstreamer-1.0")]
  }

  /// `../lib/gstreamer-1.0`, Debian's `../lib/x86_64-linux-gnu/gstreamer-1.0`, and
  /// `../lib64/gstreamer-1.0` of others.
  private var inLibraries: [URL] {
    let prefix = folder.deletingLastPathComponent()
    let library = prefix.appendingPathComponent("lib")
    let inside = (try? FileManager.default.contentsOfDirectory(atPath: library.path)) ?? []
    return
      ([library] + inside.sorted().map(library.appendingPathComponent)
      + [prefix.appendingPathComponent("lib64")])
      .map { $0.appendingPathComponent("gstreamer-1.0") }
  }

  /// SwiftPM puts the program into `.build/x86_64-unknown-linux-gnu/debug`.
  private var inBuildFolders: [URL] {
    sequence(first: folder) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
      .prefix(6).map { $0.appendingPathComponent("build/gst-plugin") }
  }

  private static func exists(_ file: URL) -> Bool {
    FileManager.default.fileExists(atPath: file.path)
  }
}
