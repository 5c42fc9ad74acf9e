// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// The paths, relative to `folder`, at which a program finds the plugin, in order.
private func found(in folder: TestFolder, by program: String) -> [String] {
  let search = PluginSearch(
    program: folder.file(program), package: folder.file("package"), environment: [:])
  return search.files.map { String($0.path.dropFirst(folder.url.path.count + 1)) }
}

@Test(arguments: [
  ("app/program", "app/libgstretrograde.so"),
  ("app/program", "app/gstreamer-1.0/libgstretrograde.so"),
  ("usr/bin/program", "usr/lib/gstreamer-1.0/libgstretrograde.so"),
  ("usr/bin/program", "usr/lib64/gstreamer-1.0/libgstretrograde.so"),
  ("usr/bin/program", "usr/lib/x86_64-linux-gnu/gstreamer-1.0/libgstretrograde.so"),
  (
    "tree/.build/x86_64-unknown-linux-gnu/debug/program",
    "tree/build/gst-plugin/libgstretrograde.so"
  ),
  ("other/.build/debug/program", "package/build/gst-plugin/libgstretrograde.so"),
])
func pluginIsFoundBelongingToTheProgram(program: String, plugin: String) throws {
  let folder = try TestFolder()
  #expect(found(in: folder, by: program) == [])
  try folder.touch(plugin)
  #expect(found(in: folder, by: program) == [plugin])
}

@Test func pluginBesideTheProgramGoesBeforeOthers() throws {
  let folder = try TestFolder()
  try folder.touch("a/lib/gstreamer-1.0/libgstretrograde.so")
  try folder.touch("a/bin/libgstretrograde.so")
  try folder.touch("build/gst-plugin/libgstretrograde.so")
  let places = [
    "a/bin/libgstretrograde.so", "a/lib/gstreamer-1.0/libgstretrograde.so",
    "build/gst-plugin/libgstretrograde.so",
  ]
  #expect(found(in: folder, by: "a/bin/program") == places)
}

@Test func packageIsKnownByItsSourcesUnlessTheirNamesAreCutOff() {
  let source = "/home/me/Retrograde/Sources/Retrograde/Runtime/PluginSearch.swift"
  #expect(PluginSearch.package(of: source)?.path == "/home/me/Retrograde")
  #expect(PluginSearch.package(of: "./Sources/Retrograde/Runtime/PluginSearch.swift") == nil)
}

/// If other users can write to a folder, they may have put any file there.
@Test(arguments: ["", "/libgstretrograde.so"])
func pluginThatOthersMayWriteIsNotUsed(place: String) throws {
  let folder = try TestFolder()
  try folder.touch("package/build/gst-plugin/libgstretrograde.so")
  #expect(found(in: folder, by: "program").count == 1)
  let path = folder.file("package/build/gst-plugin").path + place
  try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
  #expect(found(in: folder, by: "program") == [])
}

@Test func otherPluginsAndFarFoldersAreNotUsed() throws {
  let folder = try TestFolder()
  try folder.touch("usr/lib/gstreamer-1.0/libgstother.so")
  try folder.touch("build/gst-plugin/libgstretrograde.so")
  #expect(found(in: folder, by: "1/2/3/4/5/6/program") == [])
  #expect(found(in: folder, by: "1/2/3/4/5/program").count == 1)
}

@Test func environmentNamesAFolderThatHasThePlugin() throws {
  let folder = try TestFolder()
  try folder.touch("here/libgstretrograde.so")
  func isNamed(_ environment: [String: String]) -> Bool {
    PluginSearch(program: folder.file("program"), package: nil, environment: environment)
      .files.count == 1
  }
  let (here, there) = (folder.file("here").path, folder.file("there").path)
  #expect(isNamed(["GST_PLUGIN_PATH": here]))
  #expect(isNamed(["GST_PLUGIN_PATH": "\(there):\(here)"]))
  #expect(isNamed(["GST_PLUGIN_PATH": there, "GST_PLUGIN_PATH_1_0": here]))
  #expect(!isNamed(["GST_PLUGIN_PATH": here, "GST_PLUGIN_PATH_1_0": there]))
  #expect(!isNamed(["GST_PLUGIN_PATH": ""]))
  #expect(!isNamed([:]))
}

/// All tests of files and players need the plugin. This test reports that the plugin is missing.
@Test func pluginIsBuilt() {
  #expect(
    throws: Never.self, "The plugin is not built: run `make build` before `swift test`."
  ) { try GStreamer.start() }
}
