// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

struct PluginSearch {
  static let fileName = "libgstretrograde.so"
  /// The path of this source file at compile time. Empty in an installed tool.
  #if RETROGRADE_INSTALLED
    private static let source = ""
  #else
    private static let source = #filePath
  #endif

  /// Debian has a folder for each architecture.
  private static let libraries = ["lib", "lib/aarch64-linux-gnu", "lib/x86_64-linux-gnu", "lib64"]

  let program: URL
  /// The package that built the program, or nil if unknown.
  let package: URL?
  let pluginPath: String

  init(
    program: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(),
    package: URL? = Self.package(of: Self.source),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.program = program
    self.package = package
    pluginPath = environment["GST_PLUGIN_PATH_1_0"] ?? environment["GST_PLUGIN_PATH"] ?? ""
  }

  /// The plugin files that exist. The folders that the environment names take precedence. A file next
  /// to the program comes second, because it matches the program's version. After that, we look in
  /// the `lib` folder next to its `bin`, in the build folder of its source tree, and in that of this
  /// package, which is for programs in other packages that depend on this one by path.
  var files: [URL] {
    let named = pluginPath.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
    let prefix = folder.deletingLastPathComponent()
    let libraries = Self.libraries.map { prefix.appendingPathComponent("\($0)/gstreamer-1.0") }
    let beside = [folder, folder.appendingPathComponent("gstreamer-1.0")]
    return (named + beside + libraries).map(Self.file).filter(Self.exists)
      + inBuildFolders.map(Self.file).filter(isTrusted)
  }

  static var notFound: RetrogradeError {
    RetrogradeError(
      .pluginNotFound,
      "The plugin \(fileName) was not found; install the package gstreamer1.0-retrograde, "
        + "or run `make build` (or `make install`) in Retrograde's folder; or set GST_PLUGIN_PATH_1_0 "
        + "to the plugin's folder.")
  }

  private var folder: URL { program.deletingLastPathComponent() }

  /// Places where the plugin may have been built: `build/gst-plugin` in each of the six nearest
  /// folders above the program, and in ``package``. SwiftPM puts the program in
  /// `.build/x86_64-unknown-linux-gnu/debug`, so its package's folder is a few levels up.
  private var inBuildFolders: [URL] {
    let trees = sequence(first: folder) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
    return (trees.prefix(6) + (package.map { [$0] } ?? []))
      .map { $0.appendingPathComponent("build/gst-plugin") }
  }

  /// The folder of the package that contains the source file `source`. Nil unless that's an
  /// absolute path, because a relative one would be resolved against the current folder.
  static func package(of source: String) -> URL? {
    guard source.hasPrefix("/") else { return nil }
    return (0..<4).reduce(URL(fileURLWithPath: source)) { folder, _ in
      folder.deletingLastPathComponent()
    }
  }

  /// True if the file and its folder belong to root, this user or the owner of the program, and
  /// aren't world-writable. A program that was moved, or built on another machine, may end up
  /// searching folders that any user can create, such as one in /tmp.
  private func isTrusted(_ file: URL) -> Bool {
    var own = stat()
    let owners = [0, geteuid()] + (stat(program.path, &own) == 0 ? [own.st_uid] : [])
    return [file, file.deletingLastPathComponent()].allSatisfy { url in
      var status = stat()
      return stat(url.path, &status) == 0 && owners.contains(status.st_uid)
        && status.st_mode & S_IWOTH == 0
    }
  }

  private static func file(in folder: URL) -> URL { folder.appendingPathComponent(fileName) }

  private static func exists(_ file: URL) -> Bool {
    FileManager.default.fileExists(atPath: file.path)
  }
}
