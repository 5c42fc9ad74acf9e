// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

// Makes types of the library available as values of options; ArgumentParser lists their cases in
// the help, and if a value is misspelt.

extension OutputSettings.Codec: ExpressibleByArgument {}
extension AudioEdit.Channels: ExpressibleByArgument {}
extension AudioEdit.Interpolation: ExpressibleByArgument {}
extension AudioEdit.Formants: ExpressibleByArgument {}
extension AudioEdit.Alignment: ExpressibleByArgument {}
extension AudioEdit.Seam: ExpressibleByArgument {}

extension OutputSettings.FileType: ExpressibleByArgument {
  /// Also accepts "aif", "wave" and the like, as in file names.
  public init?(argument: String) { self.init(extension: argument) }
}
