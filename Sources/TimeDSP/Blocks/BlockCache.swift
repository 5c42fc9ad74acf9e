// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A block: the part of a run that is played. The other frames of the run are only compared with
/// the neighbouring blocks.
struct Block {
  /// The run that contains the frames. The cache that contains the block owns the run.
  let run: RunPointer
  /// Number of frames in the run before the block.
  var skip = 0
  var frames: Int
  /// Index of the first frame. Indices number the frames of a cache consecutively. Frame numbers
  /// come from timestamps, so they may have gaps or repetitions between two blocks. In the first
  /// block of a cache, indices equal frame numbers.
  var index: Int64
  /// The boundary at which the block begins in the stream, according to timestamps.
  var first: Int64
  /// The boundary at which the block ends in the stream, according to timestamps.
  var end: Int64
  /// Whether the beginning of the block has been verified. Directly after a seek, the output of a
  /// decoder may be wrong. The beginning is therefore compared with the run of the block before it
  /// in the stream, for which the decoder began earlier. The beginning of the stream needs no
  /// comparison.
  var isConfirmed = false
  /// Whether the stream ends with the block.
  var isAtEnd: Bool

  /// A block that consists of a whole run.
  init(_ run: RunPointer) {
    let fetched = run.pointee
    self.run = run
    frames = fetched.frames
    first = max(fetched.fetch.firstFrame, fetched.firstFrame)
    end = fetched.isAtEnd ? fetched.nextFrame : fetched.fetch.endFrame
    index = first
    isAtEnd = fetched.isAtEnd
  }

  var endIndex: Int64 { index &+ Int64(truncatingIfNeeded: frames) }

  func contains(_ frame: Int64) -> Bool { frame >= index && frame < endIndex }

  /// The address of the frame with index `index`, in the first plane.
  func address(of index: Int64) -> UnsafeMutableRawPointer? {
    run.pointee.address(of: skip &+ Int(truncatingIfNeeded: index &- self.index))
  }
}

/// The blocks around the playhead, in the order of the stream. Neighbouring blocks are joined
/// without a gap. A block is below another one if it is nearer to the beginning of the stream.
struct BlockCache: ~Copyable {
  /// Maximum number of blocks. Playback needs only a few: the block at the playhead, the blocks
  /// fetched ahead, and one block already played, for a change of direction.
  static let capacity = 16

  private var blocks: FixedArray<Block>

  init() throws(TimeDSPStatus) { blocks = try FixedArray(capacity: Self.capacity) }

  deinit { freeRuns() }

  private func freeRuns() {
    var index = 0
    while let block = blocks[index] {
      FetchedRun.free(block.run)
      index &+= 1
    }
  }

  mutating func clear() {
    freeRuns()
    blocks.removeAll()
  }

  var count: Int { blocks.count }
  var isEmpty: Bool { blocks.isEmpty }
  var lowest: Block? { blocks.first }
  var highest: Block? { blocks.last }

  /// The block that contains the frame with index `index`.
  func block(at index: Int64) -> Block? { blocks.first { $0.contains(index) } }

  /// The number of blocks that end at or before `index`.
  func countBelow(_ index: Int64) -> Int {
    blocks.firstIndex { $0.endIndex > index } ?? count
  }

  /// The number of blocks that begin after `index`.
  func countAbove(_ index: Int64) -> Int {
    var position = count
    while let block = blocks[position &- 1], block.index > index { position &-= 1 }
    return count &- position
  }

  /// The index of the frame after boundary `frame`; `nil` if the boundary is outside the cache.
  func index(of frame: Int64) -> Int64? {
    guard let block = blocks.first(where: { frame >= $0.first && frame <= $0.end }) else {
      return nil
    }
    // a block may have more or fewer frames than its timestamps suggest
    let index = block.index &+ (frame &- block.first)
    return frame == block.end ? block.endIndex : min(index, block.endIndex)
  }

  /// The boundary before the frame with index `index`, which may be outside the cache.
  func frame(at index: Int64) -> Int64 {
    guard let lowest, let highest else { return 0 }
    if index >= highest.endIndex { return highest.end &+ (index &- highest.endIndex) }
    let block = block(at: index) ?? lowest
    return min(block.first &+ (index &- block.index), block.end)
  }
}

extension BlockCache {
  /// Adds the block of a complete run, below the other blocks (backward) or above them. The cache
  /// takes ownership of the run.
  ///
  /// If the cache is empty, the block is the whole run. Otherwise, `cut` is the index in the run at
  /// which the block ends (backward) or begins. A block that is added above is confirmed, because
  /// it continues the block below it.
  mutating func add(_ run: RunPointer, _ direction: TimeDSPDirection, cut: Int) {
    var block = Block(run)
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

  /// Marks the lowest block (backward) or the highest block as confirmed.
  mutating func confirm(_ direction: TimeDSPDirection) {
    blocks[direction == TIMEDSP_BACKWARD ? 0 : count &- 1]?.isConfirmed = true
  }

  mutating func endHighest() { blocks[count &- 1]?.isAtEnd = true }

  mutating func dropHighest() {
    guard let highest else { return }
    FetchedRun.free(highest.run)
    blocks.removeLast()
  }

  mutating func dropLowest() {
    guard let lowest else { return }
    FetchedRun.free(lowest.run)
    blocks.removeFirst()
  }
}
