// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

// ArgumentParser passes arguments as strings, which can't hold bytes that aren't UTF-8. So on the
// way through, we turn such a byte into one of Unicode's last private-use characters, which no text
// uses.

extension FilePath: ExpressibleByArgument {
  /// A byte from 0x80 to 0xFF is added to this code point.
  private static let firstMark: UInt32 = 0x10_FE00

  /// Turns an element of ``arguments`` back into a path.
  public init(argument: String) {
    let bytes = argument.unicodeScalars.flatMap { scalar in
      Self.byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
    }
    self.init(bytes: bytes)
  }

  public var defaultValueDescription: String { description }

  static var arguments: [String] {
    (0..<Int(clamping: CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { FilePath(cString: $0).argument }
    }
  }

  private var argument: String {
    var (text, rest) = (String.UnicodeScalarView(), bytes[...])
    while let byte = rest.first {
      var decoder = UTF8()
      var bytes = rest.makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&bytes), Self.byte(of: scalar) == nil {
        text.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        if let mark = Unicode.Scalar(Self.firstMark + UInt32(clamping: byte)) { text.append(mark) }
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    guard scalar.value >= firstMark + 0x80 else { return nil }
    return UInt8(exactly: scalar.value - firstMark)
  }
}
