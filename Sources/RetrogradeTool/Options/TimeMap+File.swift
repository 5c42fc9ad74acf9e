// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

extension TimeMap {
  private static let maxBytes = 1 << 20

  /// Each line holds one point, an input time and an output time separated by a space or a comma.
  /// Empty lines and anything after a # are ignored.
  init(_ path: FilePath) throws(RetrogradeError) {
    guard let file = fopen(path.cString, "re") else {
      throw RetrogradeError.invalid("\(path): this time map cannot be read; check its name.")
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Self.maxBytes)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    try self.init(text: String(decoding: bytes, as: UTF8.self), named: path.description)
  }

  /// Error messages call the file `name`.
  private init(text: String, named name: String) throws(RetrogradeError) {
    var points: [Point] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let content = line.prefix { $0 != "#" }
      let fields = content.split { $0.isWhitespace || $0 == "," }
      guard !fields.isEmpty else { continue }
      let times = fields.compactMap { Duration(clock: $0) }
      guard fields.count == 2, times.count == 2 else {
        throw RetrogradeError.invalid(
          "\(name), line \(index + 1): write a time of the input and one of the output, such as "
            + "12.5 13 or 0:12.5 0:13.")
      }
      points.append(Point(input: times[0], output: times[1]))
    }
    // the file may begin with the point 0, 0, but a time map may not
    if points.first == Point(input: .zero, output: .zero) { points.removeFirst() }
    do { try self.init(points) } catch {
      throw RetrogradeError.invalid("\(name): \(error.message)")
    }
  }
}
