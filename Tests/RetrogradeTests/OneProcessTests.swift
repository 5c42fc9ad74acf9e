// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

// This process uses the full Swift runtime. It also loads the plugin, whose Swift code was compiled
// in Embedded mode and has its own small runtime.

import Foundation
import Testing

@testable import Retrograde

/// Symbols of Swift's runtime and libraries, with C names ("swift_retain") or mangled names ("$s…",
/// "_$s…").
private func swiftNames(_ option: String) throws -> [String] {
  let plugin = Sounds.root.appendingPathComponent("build/gst-plugin/libgstretrograde.so")
  let table = try output(of: "nm", "-D", option, plugin.path)
  let names = String(decoding: table, as: UTF8.self).split(separator: "\n")
    .compactMap { $0.split(separator: " ").last.map(String.init) }
  #expect(!names.isEmpty)
  return names.filter { $0.contains("swift") || $0.contains("$s") || $0.contains("$e") }
}

/// The plugin must not have Swift symbols, because the dynamic linker would confuse these with the
/// Swift symbols of the process.
@Test(arguments: ["--undefined-only", "--defined-only"])
func pluginSharesNoNameOfSwiftsRuntime(table: String) throws {
  #expect(try swiftNames(table) == [])
}
