// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

// Makes types of the library usable as values of options. ArgumentParser lists their cases in the
// help, and in the error message if a value is misspelt.

extension OutputSettings.Codec: ExpressibleByArgument {}
extension AudioEdit.Channels: ExpressibleByArgument {}
extension AudioEdit.Interpolation: ExpressibleByArgument {}
extension AudioEdit.Formants: ExpressibleByArgument {}
extension AudioEdit.Alignment: ExpressibleByArgument {}
extension AudioEdit.Seam: ExpressibleByArgument {}

extension OutputSettings.FileType: ExpressibleByArgument {
  /// Creates a type from its name, or from any of its file extensions, such as "aif" or "wave".
  public init?(argument: String) { self.init(extension: argument) }
}
