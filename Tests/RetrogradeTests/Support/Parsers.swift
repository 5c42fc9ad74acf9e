// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

@testable import Retrograde

// This file is also part of the fuzzer (Tests/fuzz/files). The fuzzer and the library are compiled
// as one module.

/// Passes bytes to every parser of this library: as a file, and as comments. Returns how much the
/// parsers read.
@discardableResult
func readByEveryParser(_ bytes: [UInt8]) -> (bytes: Int, calls: Int) {
  let reader = ByteReader(bytes)
  _ = reader.declaredByteCount
  _ = reader.lastOggPage
  _ = reader.oggLinks
  _ = reader.hasTooManyOggStreams
  _ = reader.isOpusMusic
  _ = reader.hasMP4Chapters
  _ = reader.displayMatrix?.bytes
  _ = reader.unreadChunks
  _ = reader.headerCorrection
  let music = reader.all.dropFirst(reader.all.id3Bytes)
  _ = MP3InfoFrame(music)?.bytes(frames: Int64(clamping: bytes.count), rate: bytes.count)
  readComments(String(decoding: bytes.prefix(1 << 16), as: UTF8.self))
  return reader.cost
}

/// Parses each line as a comment.
private func readComments(_ text: String) {
  var tags = AudioTags()
  tags.set("extended-comment", to: text.split(separator: "\n").map(String.init))
  let edit = AudioEdit(
    region: .seconds(1) ..< .seconds(4), direction: .reverse, factor: ScaleFactor(clamping: 3))
  for edit in [edit, AudioEdit(direction: .reverse)] { _ = edit.revised(tags.descriptive) }
}

/// Changes bytes at random, in the same way in every run.
struct Mutator {
  private var state: UInt64

  init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// A random number from 0 to `count` − 1, calculated by xorshift.
  private mutating func number(below count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(truncatingIfNeeded: state >> 33) % max(count, 1)
  }

  /// Changes the bytes one to four times, at random positions. A change overwrites bytes with a
  /// random byte, with a length that may overflow in calculations, or with a copy of another part
  /// of the file, or it cuts off the end.
  mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...number(below: 4) where !bytes.isEmpty {
      let place = number(below: bytes.count)
      switch number(below: 4) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: number(below: 256))
      case 1: replace(&bytes, place, with: Self.lengths[number(below: Self.lengths.count)])
      case 2:
        let other = number(below: bytes.count)
        replace(&bytes, place, with: Array(bytes[other...].prefix(number(below: 64))))
      default: bytes.removeLast(min(bytes.count - place, number(below: 1024)))
      }
    }
    return bytes
  }

  private func replace(_ bytes: inout [UInt8], _ place: Int, with new: [UInt8]) {
    for (index, byte) in zip(place..<bytes.count, new) { bytes[index] = byte }
  }

  private static let lengths: [[UInt8]] = [
    [0, 0, 0, 0], [0, 0, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF],
    [0x80, 0, 0, 0], [0x7F] + Array(repeating: 0xFF, count: 7), Array(repeating: 0xFF, count: 8),
    [0x80] + Array(repeating: 0, count: 7), [0, 0, 0, 1, 0x6D, 0x64, 0x61, 0x74, 0x7F, 0xFF],
  ]
}
