// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

// These let you use the library's types as option values. ArgumentParser lists their cases in the
// help, and in the error message if you misspell one.

extension OutputSettings.Codec: ExpressibleByArgument {}
extension AudioEdit.Channels: ExpressibleByArgument {}
extension Formants: ExpressibleByArgument {}
extension AudioEdit.Alignment: ExpressibleByArgument {}

extension OutputSettings.FileType: ExpressibleByArgument {
  /// Takes the name of a type or any of its file extensions, such as "aif" or "wave".
  public init?(argument: String) { self.init(extension: argument) }
}

extension Option {
  /// An option that we parse with `transform`. Its value may begin with a dash.
  init<Parsed>(
    _ help: String, value: String? = nil, completion: CompletionKind? = nil,
    as transform: @escaping @Sendable (String) throws -> Parsed
  ) where Value == Parsed? {
    self.init(
      parsing: .unconditional, help: ArgumentHelp(help, valueName: value),
      completion: completion, transform: transform)
  }
}

/// The value of `--bitrate`.
struct BitRate: ExpressibleByArgument {
  /// Nil if it's the input's.
  var bits: Int?

  init?(argument: String) {
    guard argument != "same" else { return }
    guard let kilobits = Int(argument, radix: 10) else { return nil }
    bits = min(max(kilobits, 0), 1_000_000) * 1000
  }
}

extension Interpolation: ExpressibleByArgument {
  public init?(argument: String) {
    guard let named = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = named
  }

  public static var allValueStrings: [String] { allCases.map(\.name) }
  public var defaultValueDescription: String { name }
}
