// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A frame of an ID3 2.3 or 2.4 tag that GStreamer forwards without reading it.
struct ID3Frame {
  /// Text frames are smaller, so we don't read anything larger.
  static let maxBytes = 1 << 16

  let name: String
  private let content: ByteRange

  init?(_ bytes: [UInt8]) {
    var content = ByteReader(bytes).all
    guard let header = content.consume(10), let name = header.name(at: 0), header[9] == 0 else {
      return nil
    }
    (self.name, self.content) = (name, content)
  }

  /// Name and content of a user-defined text frame (TXXX) in Latin 1 or UTF-8. Nil for other
  /// frames.
  var namedText: (name: String, text: String)? {
    guard name == "TXXX", let encoding = content[0], encoding == 0 || encoding == 3 else {
      return nil
    }
    let fields = content.dropFirst(1).bytes.split(separator: 0, omittingEmptySubsequences: false)
    guard fields.count >= 2 else { return nil }
    let texts = fields.prefix(2).map { field in
      encoding == 3
        ? String(decoding: field, as: UTF8.self)
        : String(String.UnicodeScalarView(field.map { Unicode.Scalar($0) }))
    }
    return (texts[0], texts[1])
  }
}
