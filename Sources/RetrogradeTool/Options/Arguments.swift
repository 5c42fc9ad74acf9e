// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

// With these, you can use types of the library as values of options. ArgumentParser lists their
// cases in the help, and in the error message if you misspell a value.

extension OutputSettings.Codec: ExpressibleByArgument {}
extension AudioEdit.Channels: ExpressibleByArgument {}
extension AudioEdit.Interpolation: ExpressibleByArgument {}
extension AudioEdit.Formants: ExpressibleByArgument {}
extension AudioEdit.Alignment: ExpressibleByArgument {}
extension AudioEdit.Seam: ExpressibleByArgument {}

extension OutputSettings.FileType: ExpressibleByArgument {
  /// Takes the name of a type or any of its file extensions, such as "aif" or "wave".
  public init?(argument: String) { self.init(extension: argument) }
}
