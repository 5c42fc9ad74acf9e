// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The part of a decode that you hear. The decode's other frames are only there to be compared with
/// the neighbouring blocks.
struct Block {
  /// The decode that has the frames. It's owned by the block's cache.
  let decode: DecodePointer
  /// How many frames of the decode come before the block.
  var skip = 0
  var frames: Int
  /// The first frame's index. Indices count a cache's frames consecutively, whereas frame numbers
  /// come from timestamps, so they may skip or repeat between two blocks. In the first block of a
  /// cache, the two are the same.
  var index: Int64
  /// The frame where the block begins according to timestamps.
  var first: Int64
  /// The frame where the block ends according to timestamps.
  var end: Int64
  /// A decoder's output may be wrong just after a seek. That's why we compare the beginning of a
  /// block with the decode of the block before it in the stream, where the decoder started earlier.
  /// Once we've done that, the block is confirmed. We don't need to compare the beginning of the
  /// stream.
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

  /// The address in the first plane.
  func address(of index: Int64) -> UnsafeMutableRawPointer? {
    decode.pointee.address(of: skip &+ Int(truncatingIfNeeded: index &- self.index))
  }
}

/// The blocks around the playhead, in stream order and without gaps. A block is below another one
/// if it's closer to the beginning of the stream.
struct BlockCache: ~Copyable {
  /// Playback only needs a few blocks: the one at the playhead, the ones fetched ahead, and one
  /// that we've already played, in case the direction changes.
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

  /// The index of the frame after boundary `frame`, or `nil` if it's outside the cache.
  func index(of frame: Int64) -> Int64? {
    guard let block = blocks.first(where: { frame >= $0.first && frame <= $0.end }) else {
      return nil
    }
    // a block may have more or fewer frames than its timestamps suggest
    let index = block.index &+ (frame &- block.first)
    return frame == block.end ? block.endIndex : min(index, block.endIndex)
  }

  /// The boundary before the frame at `index`, which may be outside the cache.
  func frame(at index: Int64) -> Int64 {
    guard let lowest, let highest else { return 0 }
    if index >= highest.endIndex { return highest.end &+ (index &- highest.endIndex) }
    let block = block(at: index) ?? lowest
    return min(block.first &+ (index &- block.index), block.end)
  }
}

extension BlockCache {
  /// Adds a complete decode's block, below the other blocks (backward) or above them. The cache
  /// takes ownership of the decode.
  ///
  /// If the cache is empty, the block is the whole decode. Otherwise, `cut` is the index in the
  /// decode at which the block ends (backward) or begins. A block that's added above counts as
  /// confirmed, because it continues the one below it.
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
