// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Retrograde
import Testing

@testable import RetrogradeTool

/// The plugin takes its version from the file VERSION.
@Test func toolLibraryAndPluginHaveOneVersion() throws {
  let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
    path.deletingLastPathComponent()
  }
  let file = try String(contentsOf: root.appendingPathComponent("VERSION"), encoding: .utf8)
  #expect(file == RetrogradeLibrary.version + "\n")
  #expect(RetrogradeCommand.configuration.version == RetrogradeLibrary.version)
}
