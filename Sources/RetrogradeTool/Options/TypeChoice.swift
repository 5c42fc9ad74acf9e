// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

enum TypeChoice: Equatable {
  case same
  case named(OutputSettings.FileType)

  func type(for source: Source) -> OutputSettings.FileType {
    switch self {
    case .same: source.type
    case .named(let type): type
    }
  }
}

extension TypeChoice: ExpressibleByArgument {
  /// Also takes file extensions such as "aif" and "wave".
  init?(argument: String) {
    if argument.lowercased() == "same" {
      self = .same
      return
    }
    guard let type = OutputSettings.FileType(extension: argument) else { return nil }
    self = .named(type)
  }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  static var allValueStrings: [String] {
    ["same"] + OutputSettings.FileType.allCases.map(\.rawValue)
  }
}

/// The value of `--bitrate`.
enum BitRateChoice: Equatable {
  case same
  /// In bits per second.
  case bits(Int)
}

extension BitRateChoice: ExpressibleByArgument {
  /// Parses "same", or a number in kbit/s: "128", "128k".
  init?(argument: String) {
    if argument.lowercased() == "same" {
      self = .same
      return
    }
    let number = argument.lowercased().hasSuffix("k") ? argument.dropLast() : argument[...]
    guard let rate = Int(number, radix: 10) else { return nil }
    let (bits, overflow) = rate.multipliedReportingOverflow(by: 1000)
    self = .bits(overflow ? .max : bits)
  }
}
