// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A range of a file's bytes.
///
/// Files state how long their parts are, and may state anything. So nothing outside of this type
/// calculates with such a number: a range is taken from another one, and is never longer than that.
struct ByteRange {
  private let reader: ByteReader
  /// In the file.
  private var places: Range<Int>

  /// All of a file's.
  init(of reader: ByteReader) {
    self.reader = reader
    places = 0..<reader.count
  }

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }
  /// Its beginning in the file.
  var offset: Int { places.lowerBound }

  /// Removes and returns the first bytes; if there are not enough, returns nil and changes nothing.
  mutating func take(_ count: Int) -> ByteRange? {
    guard count >= 0, count <= self.count else { return nil }
    let taken = prefix(count)
    self = dropFirst(count)
    return taken
  }

  /// The first bytes; all if there are fewer.
  func prefix(_ count: Int) -> ByteRange {
    part(places.lowerBound..<places.lowerBound + within(count))
  }

  /// The rest after the first bytes; empty if there are fewer.
  func dropFirst(_ count: Int) -> ByteRange {
    part(places.lowerBound + within(count)..<places.upperBound)
  }

  /// The last bytes; all if there are fewer.
  func suffix(_ count: Int) -> ByteRange {
    part(places.upperBound - within(count)..<places.upperBound)
  }

  /// File position of the end of `count` bytes from its beginning, even beyond the file's end.
  func end(of count: Int) -> Int {
    let (end, overflow) = places.lowerBound.addingReportingOverflow(max(count, 0))
    return overflow ? .max : end
  }

  private func within(_ count: Int) -> Int { min(max(count, 0), self.count) }

  private func part(_ places: Range<Int>) -> ByteRange {
    var part = self
    part.places = places
    return part
  }
}

extension ByteRange {
  /// nil if there is none.
  subscript(index: Int) -> UInt8? {
    guard index >= 0, index < count else { return nil }
    return reader.byte(at: places.lowerBound + index)
  }

  /// All of them.
  var bytes: [UInt8] {
    guard count > ByteReader.blockBytes else { return (0..<count).compactMap { self[$0] } }
    return reader.read(places)
  }

  /// An unsigned number of `count` bytes; nil if the range is too short, or the number too large.
  func number(at index: Int, count: Int, isBigEndian: Bool = true) -> Int? {
    guard count <= 8 else { return nil }
    var value: UInt64 = 0
    for byte in 0..<count {
      guard let next = self[index + (isBigEndian ? byte : count - 1 - byte)] else { return nil }
      value = value << 8 | UInt64(clamping: next)
    }
    return Int(exactly: value)
  }

  /// Whether these letters are at a place.
  func has(_ text: StaticString, at index: Int = 0) -> Bool {
    let letters = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return letters.enumerated().allSatisfy { self[index + $0.offset] == $0.element }
  }

  /// Four printable letters of ASCII, by which a part of a file is named; nil for anything else.
  func name(at index: Int) -> String? {
    let letters = dropFirst(index).prefix(4).bytes
    guard letters.count == 4, letters.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    return String(decoding: letters, as: UTF8.self)
  }
}

extension ByteRange {
  /// The most parts beside one another that a parser looks at. A file may consist of millions of
  /// empty ones, and one of a day in fragments of a second has less.
  static let mostParts = 1 << 18

  /// The results of `take`, one after the other, until it returns nil.
  func parts<Part>(_ take: @escaping (inout ByteRange) -> Part?) -> some Sequence<Part> {
    sequence(state: self) { take(&$0) }.prefix(Self.mostParts)
  }
}
