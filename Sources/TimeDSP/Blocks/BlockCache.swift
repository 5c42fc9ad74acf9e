// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The part of a decode that you hear. We only compare the decode's other frames with the
/// neighbouring blocks.
struct Block {
  /// The decode with the frames. The block's cache owns it.
  let decode: DecodePointer
  /// Frames of the decode before the block.
  var skip = 0
  var frames: Int
  /// The first frame's index. Indices number a cache's frames consecutively. Frame numbers come
  /// from timestamps, so between two blocks they may skip or repeat. In the first block of a cache,
  /// indices equal frame numbers.
  var index: Int64
  /// Where timestamps say that the block begins.
  var first: Int64
  /// Where timestamps say that the block ends.
  var end: Int64
  /// Just after a seek, a decoder's output may be wrong. So we compare the beginning of a block
  /// with the decode of the block before it in the stream, for which the decoder began earlier.
  /// Then the block is confirmed. The beginning of the stream needs no comparison.
  var isConfirmed = false
  var isAtEnd: Bool

  init(_ decode: DecodePointer) {
    let fetched = decode.pointee
    self.decode = decode
    frames = fetched.frames
    first = max(fetched.fetch.firstFrame, fetched.firstFrame)
    end = fetched.isAtEnd ? fetched.nextFrame : fetched.fetch.endFrame
    index = first
    isAtEnd = fetched.isAtEnd
  }

  var endIndex: Int64 { index &+ Int64(truncatingIfNeeded: frames) }

  func contains(_ frame: Int64) -> Bool { frame >= index && frame < endIndex }

  /// In the first plane.
  func address(of index: Int64) -> UnsafeMutableRawPointer? {
    decode.pointee.address(of: skip &+ Int(truncatingIfNeeded: index &- self.index))
  }
}

/// The blocks around the playhead, in the order of the stream and without a gap. A block is below
/// another one if it's nearer to the beginning of the stream.
struct BlockCache: ~Copyable {
  /// Playback needs only a few blocks: the one at the playhead, those fetched ahead, and one
  /// already played, in case the direction changes.
  static let capacity = 16

  private var blocks: FixedArray<Block>

  init() throws(TimeDSPStatus) { blocks = try FixedArray(capacity: Self.capacity) }

  deinit { freeDecodes() }

  private func freeDecodes() {
    var index = 0
    while let block = blocks[index] {
      Decode.free(block.decode)
      index &+= 1
    }
  }

  mutating func clear() {
    freeDecodes()
    blocks.removeAll()
  }

  var count: Int { blocks.count }
  var isEmpty: Bool { blocks.isEmpty }
  var lowest: Block? { blocks.first }
  var highest: Block? { blocks.last }

  func block(at index: Int64) -> Block? { blocks.first { $0.contains(index) } }

  func countBelow(_ index: Int64) -> Int {
    blocks.firstIndex { $0.endIndex > index } ?? count
  }

  func countAbove(_ index: Int64) -> Int {
    var position = count
    while let block = blocks[position &- 1], block.index > index { position &-= 1 }
    return count &- position
  }

  /// Converts the frame after boundary `frame`. `nil` outside the cache.
  func index(of frame: Int64) -> Int64? {
    guard let block = blocks.first(where: { frame >= $0.first && frame <= $0.end }) else {
      return nil
    }
    // a block may have more or fewer frames than its timestamps suggest
    let index = block.index &+ (frame &- block.first)
    return frame == block.end ? block.endIndex : min(index, block.endIndex)
  }

  /// The boundary before the frame. `index` may be outside the cache.
  func frame(at index: Int64) -> Int64 {
    guard let lowest, let highest else { return 0 }
    if index >= highest.endIndex { return highest.end &+ (index &- highest.endIndex) }
    let block = block(at: index) ?? lowest
    return min(block.first &+ (index &- block.index), block.end)
  }
}

extension BlockCache {
  /// Adds a complete decode's block, below the other blocks (backward) or above them. The cache
  /// owns the decode now.
  ///
  /// If the cache is empty, the block is the whole decode. Otherwise, `cut` is the index in the
  /// decode at which the block ends (backward) or begins. A block above is confirmed, because it
  /// continues the one below it.
  mutating func add(_ decode: DecodePointer, _ direction: TimeDSPDirection, cut: Int) {
    var block = Block(decode)
    let frames = block.frames
    guard let lowest, let highest else {
      blocks.append(block)
      return
    }
    if direction == TIMEDSP_BACKWARD {
      block.frames = min(cut, frames)
      block.end = lowest.first
      block.isAtEnd = false
      block.index = lowest.index &- Int64(truncatingIfNeeded: block.frames)
      if blocks.isFull { dropHighest() }
      blocks.insert(block, at: 0)
    } else {
      block.skip = min(cut, frames)
      block.frames = frames &- block.skip
      block.first = highest.end
      block.end = max(block.end, block.first)
      block.isConfirmed = true
      block.index = highest.endIndex
      if blocks.isFull { dropLowest() }
      blocks.append(block)
    }
  }

  mutating func confirmLowest() { blocks[0]?.isConfirmed = true }

  mutating func confirm(_ direction: TimeDSPDirection) {
    blocks[direction == TIMEDSP_BACKWARD ? 0 : count &- 1]?.isConfirmed = true
  }

  mutating func endHighest() { blocks[count &- 1]?.isAtEnd = true }

  mutating func dropHighest() {
    guard let highest else { return }
    Decode.free(highest.decode)
    blocks.removeLast()
  }

  mutating func dropLowest() {
    guard let lowest else { return }
    Decode.free(lowest.decode)
    blocks.removeFirst()
  }
}
