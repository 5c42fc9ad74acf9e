// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

// Tests the parsers of this library. For any content, parsing terminates, and reads only as much as
// it needs.

private func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: number.bigEndian) { Array($0) }
}

private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
  bigEndian(UInt32(8 + content.count)) + Array(name.utf8) + content
}

private func wave(_ chunks: [UInt8]) -> [UInt8] {
  Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVE".utf8) + chunks
}

/// An Ogg page with one packet.
private func page(_ stream: UInt32, flags: UInt8, _ packet: [UInt8] = [0]) -> [UInt8] {
  var page = Array("OggS".utf8) + [0, flags] + Array(repeating: 0, count: 8)
  page += bigEndian(stream) + Array(repeating: 0, count: 8) + [1, UInt8(packet.count)]
  return page + packet
}

// MARK: - Ranges

@Test(arguments: [Int.min, -1, 0, 1, 5, 6, Int.max])
func aRangeNeverLeavesTheOneItIsTakenFrom(count: Int) {
  let outer = ByteReader(Array(0..<8)).all.dropFirst(1).prefix(5)
  for range in [outer.prefix(count), outer.dropFirst(count), outer.suffix(count)] {
    #expect(range.offset >= 1 && range.offset + range.count <= 6)
    #expect(range.bytes.allSatisfy { (1...5).contains($0) })
  }
  var rest = outer
  let consumed = rest.consume(count)
  #expect((consumed != nil) == (0...5).contains(count))
  #expect((consumed?.count ?? 0) + rest.count == 5)
  #expect(outer.end(of: count) == (count == .max ? .max : 1 + max(count, 0)))
  #expect(outer[count] == (count >= 0 && count < 5 ? UInt8(count + 1) : nil))
}

@Test func numbersThatDoNotFitAreNone() {
  let bytes = ByteReader([0x7F] + Array(repeating: 0xFF, count: 8)).all
  #expect(bytes.number(at: 0, count: 8) == .max)
  #expect(bytes.number(at: 1, count: 8) == nil)
  #expect(bytes.number(at: 0, count: 9) == nil)
  #expect(bytes.number(at: 6, count: 4) == nil)
  #expect(bytes.number(at: 0, count: 2) == 0x7FFF)
  #expect(bytes.number(at: 0, count: 2, isBigEndian: false) == 0xFF7F)
}

@Test func aFileIsReadInBlocks() throws {
  let folder = try TestFolder()
  let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
  try Data(content).write(to: folder.file("bytes"))
  let reader = try #require(ByteReader(folder.file("bytes")))
  #expect((0..<10_000).allSatisfy { reader.all[$0] == content[$0] })
  #expect(reader.cost == (10_000, 3))
  #expect(reader.all.bytes == content)
  #expect(reader.all.dropFirst(4000).prefix(200).bytes == Array(content[4000..<4200]))
  // if a file is truncated after it was opened, bytes are missing
  try FileHandle(forWritingTo: folder.file("bytes")).truncate(atOffset: 0)
  #expect(reader.all[9000] == nil)
  #expect(reader.all.bytes == [])
}

// MARK: - Lengths that a file states

@Test func aBoxThatReachesToTheEndOfAllNumbersIsCutOff() async throws {
  let file = box("ftyp", Array("M4A \0\0\0\0M4A ".utf8))
  let large = bigEndian(UInt32(1)) + Array("mdat".utf8) + bigEndian(UInt64(0x7FFF_FFFF_FFFF_FFEB))
  let bytes = file + large + Array(repeating: 0, count: 64)
  #expect(ByteReader(bytes).declaredByteCount == .max)
  let folder = try TestFolder()
  try Data(bytes).write(to: folder.file("song.m4a"))
  await #expect(throws: RetrogradeError.self) {
    try await AudioFile(folder.file("song.m4a")).information()
  }
}

@Test(arguments: [
  (UInt64(16), nil), (17, nil), (80, nil), (81, 101), (UInt64(Int.max), Int.max),
  (UInt64(Int.max) + 1, Int.max), (UInt64.max, Int.max), (15, nil), (0, nil),
])
func theLengthOfABoxCountsWhereItIsOne(length: UInt64, end: Int?) {
  let large = bigEndian(UInt32(1)) + Array("mdat".utf8) + bigEndian(length)
  let bytes = box("ftyp", Array(repeating: 0, count: 12)) + large + Array(repeating: 0, count: 64)
  #expect(ByteReader(bytes).declaredByteCount == end)
}

@Test func matroskaStatesItsLength() {
  let head: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3, 0x83, 1, 2, 3, 0x18, 0x53, 0x80, 0x67]
  #expect(ByteReader(head + [0x85, 0]).declaredByteCount == 18)
  #expect(ByteReader(head + [0x01, 0, 0, 0, 0, 0, 1, 0]).declaredByteCount == 276)
  // an unknown length, as in a live stream
  #expect(ByteReader(head + [0xFF]).declaredByteCount == nil)
  #expect(ByteReader(head + [0x01] + Array(repeating: 0xFF, count: 7)).declaredByteCount == nil)
  for odd in [[], [0], [0x40], [0, 0x80, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]] {
    #expect(ByteReader(head + odd).declaredByteCount == nil)
  }
}

// MARK: - The cost of parsing

/// Returns how many bytes a parser reads from a file, and from a file with twice as many parts.
private func growth(_ files: (Int) -> [UInt8], _ look: (ByteReader) -> Void) -> (Int, Int) {
  let costs = [1, 2].map { factor in
    let reader = ByteReader(files(factor))
    look(reader)
    return reader.cost.bytes
  }
  return (costs[0], costs[1])
}

@Test func soundOfUnknownLengthIsNotMistakenForChunks() {
  func make(_ factor: Int) -> [UInt8] {
    wave(Array("data".utf8) + [0, 0, 0, 0] + Array(repeating: 0, count: factor << 20))
  }
  let costs = growth(make) { #expect($0.unreadChunks == []) }
  #expect(costs.0 <= ByteReader.blockBytes && costs.1 == costs.0)
}

@Test func bytesWithoutANameAreNoChunk() {
  func make(_ factor: Int) -> [UInt8] { wave(Array(repeating: 0, count: factor << 20)) }
  let zeros = growth(make) {
    #expect($0.unreadChunks == [])
  }
  #expect(zeros.0 <= ByteReader.blockBytes && zeros.1 == zeros.0)
  #expect(
    ByteReader(wave(Array("bext\0\0\0\0odd!\u{1}\0\0\0xxlast".utf8))).unreadChunks == [
      "bext", "odd!",
    ])
}

@Test func partsWithoutEndAreGivenUp() {
  let chunks = (0..<ByteRange.maxParts + 10).flatMap { _ in Array("fmt \0\0\0\0".utf8) }
  #expect(ByteReader(wave(chunks + Array("bext\0\0\0\0".utf8))).unreadChunks == [])
  let boxes = (0..<ByteRange.maxParts + 10).flatMap { _ in box("free", []) }
  #expect(ByteReader(box("ftyp", []) + boxes + bigEndian(UInt32.max)).declaredByteCount == nil)
}

@Test func ofAPageThatBeginsAStreamItsHeaderIsRead() {
  func make(_ factor: Int) -> [UInt8] {
    (0..<UInt32(50 * factor)).flatMap { page($0, flags: 2, Array(repeating: 7, count: 250)) }
      + page(0, flags: 4)
  }
  let costs = growth(make) { #expect($0.oggLinks.count == 1) }
  #expect(costs.0 <= 50 * 278 + 2 * OggPage.maxBytes)
  #expect(costs.1 <= 100 * 278 + 2 * OggPage.maxBytes)
}

@Test func anOggOfTooManyStreamsIsRefused() async throws {
  func make(_ count: UInt32) -> [UInt8] {
    (0..<count).flatMap { page($0, flags: 2) } + page(0, flags: 4)
  }
  #expect(!ByteReader(make(100)).hasTooManyOggStreams)
  #expect(ByteReader(make(101)).hasTooManyOggStreams)
  let folder = try TestFolder()
  try Data(make(101)).write(to: folder.file("many.ogg"))
  let error = await #expect(throws: RetrogradeError.self) {
    try await AudioFile(folder.file("many.ogg")).information()
  }
  #expect(error?.message.contains("more than 100 Ogg streams") == true)
}

@Test func cancelledWorkDoesNotReadAllPackets() async throws {
  let head = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]
  let bytes =
    page(1, flags: 2, head) + (0..<1000).flatMap { _ in page(1, flags: 0, [0xFC]) }
  #expect(ByteReader(bytes).isOpusMusic == true)
  let task = Task {
    withUnsafeCurrentTask { $0?.cancel() }
    let reader = ByteReader(bytes)
    return (reader.isOpusMusic, reader.cost.bytes)
  }
  let (isMusic, cost) = await task.value
  #expect(isMusic == nil && cost == 0)
}

// MARK: - The corpus of the fuzzer

/// Parses each file of the corpus, and 40 mutations of each.
@Test(.enabled(if: isLong)) func noFileOfTheCorpusTrapsAParser() throws {
  let folder = Sounds.root.appendingPathComponent("Tests/fuzz/corpus/fuzz_files")
  let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  #expect(names.count > 10)
  for (seed, name) in names.enumerated() {
    let bytes = try [UInt8](Data(contentsOf: folder.appendingPathComponent(name)))
    readByEveryParser(bytes)
    var mutator = Mutator(seed: seed + 1)
    for _ in 0..<40 { readByEveryParser(mutator.mutate(bytes)) }
  }
}
