// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// The value of `--type`.
enum TypeChoice: Equatable {
  /// The same type as the input.
  case same
  /// The type that applications based on AVFoundation write: M4A for compressed audio.
  case avFoundation
  case named(OutputSettings.FileType)

  func type(for source: Source) -> OutputSettings.FileType {
    switch self {
    case .same: source.type
    case .avFoundation: .avFoundation(forInput: source.path.fileExtension)
    case .named(let type): type
    }
  }
}

extension TypeChoice: ExpressibleByArgument {
  /// Parses the value. File extensions such as "aif" and "wave" are also accepted.
  init?(argument: String) {
    switch argument.lowercased() {
    case "same": self = .same
    case "avfoundation": self = .avFoundation
    default:
      guard let type = OutputSettings.FileType(extension: argument) else { return nil }
      self = .named(type)
    }
  }

  static var allValueStrings: [String] {
    ["same", "avfoundation"] + OutputSettings.FileType.allCases.map(\.rawValue)
  }
}

/// The value of `--bitrate`.
enum BitRateChoice: Equatable {
  /// The same bit rate as the input.
  case same
  /// A bit rate in bits per second.
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
