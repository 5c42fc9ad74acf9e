// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import Testing

@testable import TimeDSPCore

/// Frames in a block of 1 MiB. A frame has 8 bytes, in 1 or 2 planes.
private let blockFrames: UInt64 = (1 << 20) / 8

/// A file whose reads and writes can fail.
private final class TestFile {
  var blocks: [[UInt8]] = []
  var writesLeft = Int.max
  var readsLeft = Int.max
  /// For each block that was read, the hint about which block will be read next.
  var hints: [UInt64] = []

  var callbacks: TimeStoreFile {
    TimeStoreFile(
      owner: Unmanaged.passUnretained(self).toOpaque(),
      write: { owner, block, bytes in
        let file = Unmanaged<TestFile>.fromOpaque(owner!).takeUnretainedValue()
        guard file.writesLeft > 0 else { return 0 }
        file.writesLeft -= 1
        file.blocks.append([UInt8](UnsafeRawBufferPointer(start: block, count: bytes)))
        return 1
      },
      read: { owner, index, block, bytes, next in
        let file = Unmanaged<TestFile>.fromOpaque(owner!).takeUnretainedValue()
        guard file.readsLeft > 0, Int(index) < file.blocks.count else { return 0 }
        file.readsLeft -= 1
        file.hints.append(next)
        block!.copyMemory(from: file.blocks[Int(index)], byteCount: bytes)
        return 1
      })
  }
}

/// A store of frames. The samples of each frame are its number.
private final class TestStore {
  let file = TestFile()
  let store: OpaquePointer
  let planes: Int

  init(planes: Int = 1, mostBlocks: UInt64) throws {
    self.planes = planes
    var callbacks = file.callbacks
    let made = timestore_new(UInt32(planes), UInt32(8 / planes), mostBlocks << 20, &callbacks)
    store = try #require(made)
  }

  deinit { timestore_free(store) }

  var count: UInt64 { timestore_count(store) }

  private func sample(_ frame: UInt64, _ plane: Int) -> UInt64 {
    planes == 1 ? frame : (frame * 2 + UInt64(plane)) & 0xFFFF_FFFF
  }

  func append(_ frames: Int) -> Bool {
    let first = count
    let memory = (0..<planes).map { plane in
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: frames * 8, alignment: 8)
      for frame in 0..<frames {
        let value = sample(first + UInt64(frame), plane)
        if planes == 1 {
          bytes.storeBytes(of: value, toByteOffset: 8 * frame, as: UInt64.self)
        } else {
          bytes.storeBytes(of: UInt32(value), toByteOffset: 4 * frame, as: UInt32.self)
        }
      }
      return bytes
    }
    defer { for plane in memory { plane.deallocate() } }
    return timestore_append(store, memory.map { UnsafeRawPointer($0) }, frames) != 0
  }

  /// The range of frames that the store returns for `frame`; `nil` if it returns none, or if their
  /// samples are wrong.
  func peek(_ frame: UInt64, backward: Bool = false) -> Range<UInt64>? {
    var span = TimeStoreSpan()
    guard timestore_peek(store, frame, backward ? 1 : 0, &span) != 0 else { return nil }
    let all = span.first_frame..<span.first_frame + UInt64(span.n_frames)
    for (at, frame) in all.enumerated() {
      for plane in 0..<planes {
        let bytes = UnsafeRawPointer(span.planes[plane]!)
        let value =
          planes == 1
          ? bytes.load(fromByteOffset: 8 * at, as: UInt64.self)
          : UInt64(bytes.load(fromByteOffset: 4 * at, as: UInt32.self))
        if value != sample(frame, plane) { return nil }
      }
    }
    return all
  }
}

@Suite struct FrameStoreTests {
  @Test(arguments: [1, 2], [0, 1, 2, 9])
  func framesComeBackBothWays(planes: Int, mostBlocks: UInt64) throws {
    let store = try TestStore(planes: planes, mostBlocks: mostBlocks)
    for frames in [1000, 131_072, 200_000, 7] { #expect(store.append(frames)) }
    #expect(store.count == 332_079)
    // two blocks are full; full blocks beyond the limit are in the file
    #expect(store.file.blocks.count == Int(2 - min(mostBlocks, 2)))
    #expect(timestore_file_bytes(store.store) == UInt64(store.file.blocks.count) << 20)

    var frame: UInt64 = 0
    while frame < store.count { frame = try #require(store.peek(frame)).upperBound }
    #expect(frame == store.count)
    while frame > 0 {
      let range = try #require(store.peek(frame, backward: true))
      #expect(range.upperBound == frame)
      frame = range.lowerBound
    }
  }

  @Test func likelyNextReadsAreHinted() throws {
    let store = try TestStore(mostBlocks: 0)
    #expect(store.append(Int(4 * blockFrames)))
    #expect(store.peek(3 * blockFrames, backward: true) == 2 * blockFrames..<3 * blockFrames)
    #expect(store.peek(blockFrames) == blockFrames..<2 * blockFrames)
    // a block that is already loaded is not read again
    #expect(store.peek(blockFrames + 5) == blockFrames + 5..<2 * blockFrames)
    #expect(store.file.hints == [1, 2])
  }

  @Test func aFailureKeepsStoredFrames() throws {
    let store = try TestStore(mostBlocks: 1)
    store.file.writesLeft = 1
    #expect(store.append(Int(2 * blockFrames)))
    #expect(store.append(100))
    #expect(!store.append(Int(blockFrames)))
    #expect(store.count == 2 * blockFrames + 100)
    #expect(store.peek(2 * blockFrames) == 2 * blockFrames..<2 * blockFrames + 100)
    store.file.readsLeft = 0
    #expect(store.peek(blockFrames) == nil)
    store.file.readsLeft = 2
    #expect(store.peek(blockFrames) == blockFrames..<2 * blockFrames)
    // the disk has space again
    store.file.writesLeft = 1
    #expect(store.append(Int(blockFrames)))
    #expect(store.peek(2 * blockFrames) == 2 * blockFrames..<3 * blockFrames)
  }

  @Test func aClearedStoreIsEmptyAndWorks() throws {
    let store = try TestStore(mostBlocks: 1)
    #expect(store.append(Int(3 * blockFrames)))
    timestore_clear(store.store)
    store.file.blocks = []
    #expect(store.count == 0 && timestore_file_bytes(store.store) == 0)
    #expect(store.peek(0) == nil && store.peek(1, backward: true) == nil)
    #expect(store.append(Int(2 * blockFrames) + 3))
    #expect(store.peek(blockFrames) == blockFrames..<2 * blockFrames)
  }

  @Test func framesThatAreNotThereAreNotShown() throws {
    let store = try TestStore(mostBlocks: 4)
    #expect(store.append(10))
    #expect(store.peek(10) == nil && store.peek(.max) == nil)
    #expect(store.peek(0, backward: true) == nil && store.peek(11, backward: true) == nil)
    #expect(store.peek(10, backward: true) == 0..<10)
    #expect(timestore_append(nil, nil, 1) == 0 && timestore_count(nil) == 0)
    timestore_free(nil)
  }

  @Test func manyBlocksStayInMemory() throws {
    let store = try TestStore(mostBlocks: 100)
    for _ in 0..<70 { #expect(store.append(Int(blockFrames))) }
    #expect(store.file.blocks.isEmpty)
    #expect(store.peek(69 * blockFrames) == 69 * blockFrames..<70 * blockFrames)
    #expect(store.peek(1, backward: true) == 0..<1)
  }

  @Test func aStoreWithoutAFileIsRefused() {
    var none = TimeStoreFile()
    #expect(timestore_new(1, 8, 0, &none) == nil)
    #expect(timestore_new(1, 8, 0, nil) == nil)
  }
}
