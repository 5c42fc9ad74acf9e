// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser

/// The value of an option that also takes "same", which is what the input has.
enum SameOr<Value: ExpressibleByArgument & Equatable & Sendable>: Equatable, Sendable {
  case same
  case value(Value)
}

extension SameOr: ExpressibleByArgument {
  init?(argument: String) {
    if argument.lowercased() == "same" {
      self = .same
    } else if let value = Value(argument: argument) {
      self = .value(value)
    } else {
      return nil
    }
  }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  static var allValueStrings: [String] {
    Value.allValueStrings.isEmpty ? [] : ["same"] + Value.allValueStrings
  }
}
