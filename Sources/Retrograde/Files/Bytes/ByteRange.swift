// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A range of bytes in a file.
///
/// A file may declare any length for its parts, so we only do arithmetic on such numbers here. You
/// can only make a range from another one, and it's always inside that one.
struct ByteRange {
  private let reader: ByteReader
  private var positions: Range<Int>

  init(of reader: ByteReader) {
    self.reader = reader
    positions = 0..<reader.count
  }

  var count: Int { positions.count }
  var isEmpty: Bool { positions.isEmpty }
  var offset: Int { positions.lowerBound }

  /// Removes and returns the first `count` bytes. If there are fewer, returns nil and leaves the
  /// range as it is.
  mutating func consume(_ count: Int) -> ByteRange? {
    guard count >= 0, count <= self.count else { return nil }
    let consumed = prefix(count)
    self = dropFirst(count)
    return consumed
  }

  func prefix(_ count: Int) -> ByteRange {
    part(positions.lowerBound..<positions.lowerBound + within(count))
  }

  func dropFirst(_ count: Int) -> ByteRange {
    part(positions.lowerBound + within(count)..<positions.upperBound)
  }

  func suffix(_ count: Int) -> ByteRange {
    part(positions.upperBound - within(count)..<positions.upperBound)
  }

  /// The position in the file `count` bytes after the start of the range, which may be past the end
  /// of the file.
  func end(of count: Int) -> Int {
    let (end, overflow) = positions.lowerBound.addingReportingOverflow(max(count, 0))
    return overflow ? .max : end
  }

  private func within(_ count: Int) -> Int { min(max(count, 0), self.count) }

  private func part(_ positions: Range<Int>) -> ByteRange {
    var part = self
    part.positions = positions
    return part
  }
}

extension ByteRange {
  subscript(index: Int) -> UInt8? {
    guard index >= 0, index < count else { return nil }
    return reader.byte(at: positions.lowerBound + index)
  }

  var bytes: [UInt8] {
    guard count > ByteReader.blockBytes else { return (0..<count).compactMap { self[$0] } }
    return reader.read(positions)
  }

  /// An unsigned number of `count` bytes, or nil if the range is too short or the number doesn't
  /// fit in an Int.
  func number(at index: Int, count: Int, isBigEndian: Bool = true) -> Int? {
    guard count <= 8 else { return nil }
    var value: UInt64 = 0
    for byte in 0..<count {
      guard let next = self[index + (isBigEndian ? byte : count - 1 - byte)] else { return nil }
      value = value << 8 | UInt64(clamping: next)
    }
    return Int(exactly: value)
  }

  func has(_ text: StaticString, at index: Int = 0) -> Bool {
    let letters = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return letters.enumerated().allSatisfy { self[index + $0.offset] == $0.element }
  }

  /// The four-character name of a part of the file, or nil unless it's printable ASCII.
  func name(at index: Int) -> String? {
    let letters = dropFirst(index).prefix(4).bytes
    guard letters.count == 4, letters.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    return String(decoding: letters, as: UTF8.self)
  }
}

extension ByteRange {
  /// The maximum number of consecutive parts that a parser examines. A damaged file may contain
  /// millions of empty parts. Even a day of audio in fragments of a third of a second has fewer.
  static let maxParts = 1 << 18

  /// `consume` removes a part from the range, and returns nil when there are no more.
  func parts<Part>(_ consume: @escaping (inout ByteRange) -> Part?) -> some Sequence<Part> {
    sequence(state: self) { consume(&$0) }.prefix(Self.maxParts)
  }
}
