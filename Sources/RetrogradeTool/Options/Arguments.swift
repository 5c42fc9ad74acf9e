// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

// The library's choices as values of options; ArgumentParser lists the cases of each in the help,
// and when one is misspelt.

extension OutputSettings.Codec: ExpressibleByArgument {}
extension AudioEdit.Channels: ExpressibleByArgument {}
extension AudioEdit.Interpolation: ExpressibleByArgument {}
extension AudioEdit.Formants: ExpressibleByArgument {}
extension AudioEdit.Alignment: ExpressibleByArgument {}
extension AudioEdit.Seam: ExpressibleByArgument {}

extension OutputSettings.FileType: ExpressibleByArgument {
  /// Also "aif", "wave" and the like, as in the names of files.
  public init?(argument: String) { self.init(extension: argument) }
}
