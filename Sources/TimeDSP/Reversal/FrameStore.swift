// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Stores the frames of a stream in blocks of equal size, about 1 MiB: the first blocks in memory,
/// and later blocks in a file if a limit on memory is reached. See `timekept.h`.
struct FrameStore: HeldByC, ~Copyable {
  private typealias Memory = UnsafeMutableRawPointer

  private static let usualBlockBytes = 1 << 20
  private static let firstCapacity = 64

  private let planes: Int
  private let strideBytes: Int
  private let blockFrames: Int
  private let blockBytes: Int
  private let fileOwner: UnsafeMutableRawPointer?
  private let write: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32
  private let read:
    @convention(c) (
      UnsafeMutableRawPointer?, UInt64, UnsafeMutableRawPointer?, Int, UInt64
    ) -> Int32

  private(set) var count: UInt64 = 0
  /// The addresses of the blocks in memory.
  private var blockList: Storage
  private var blockCapacity = firstCapacity
  private var blockCount = 0
  /// Maximum number of blocks in memory.
  private var mostBlocks: UInt64
  /// Number of blocks in the file. They come after the blocks in memory.
  private var fileBlocks: UInt64 = 0
  /// Memory of the block that is being filled, and will be written to the file when it is full.
  private var filled: Memory?
  /// Memory of the block that was last read from the file.
  private var loaded: Memory?
  private var loadedIndex: UInt64?
  /// The plane addresses of the span that `peek` has returned.
  private let spanList: Storage

  init(
    planes: UInt32, strideBytes: UInt32, mostBytes: UInt64, file: TimeStoreFile
  ) throws(TimeDSPStatus) {
    let planes = Int(max(planes, 1))
    let strideBytes = Int(max(strideBytes, 1))
    let (frameBytes, isTooLarge) = planes.multipliedReportingOverflow(by: strideBytes)
    try require(!isTooLarge, else: TIMEDSP_BAD_FRAME_SIZE)
    guard let write = file.write, let read = file.read else { throw TIMEDSP_NULL_POINTER }
    let pointerBytes = MemoryLayout<Memory>.stride
    let list = try Storage(bytes: Self.firstCapacity &* pointerBytes)
    let spans = try Storage(bytes: planes &* pointerBytes)

    self.planes = planes
    self.strideBytes = strideBytes
    blockFrames = max(
      Self.usualBlockBytes.dividedReportingOverflow(by: frameBytes).partialValue, 1)
    blockBytes = blockFrames &* frameBytes
    mostBlocks = mostBytes.quotient(by: UInt64(truncatingIfNeeded: blockBytes))
    self.write = write
    self.read = read
    fileOwner = file.owner
    blockList = list
    spanList = spans
  }

  deinit {
    var block = 0
    while block < blockCount {
      timedsp_deallocate(blocks[block])
      block &+= 1
    }
    if let filled { timedsp_deallocate(filled) }
    if let loaded { timedsp_deallocate(loaded) }
  }

  private var blocks: UnsafeMutablePointer<Memory> {
    blockList.base.assumingMemoryBound(to: Memory.self)
  }

  var fileBytes: UInt64 { fileBlocks &* UInt64(truncatingIfNeeded: blockBytes) }

  mutating func clear() {
    count = 0
    fileBlocks = 0
    loadedIndex = nil
  }

  /// The block that contains `frame`, and the index of the frame in the block.
  private func blockPosition(of frame: UInt64) -> (block: UInt64, frame: Int) {
    let frames = UInt64(truncatingIfNeeded: blockFrames)
    let block = frame.quotient(by: frames)
    return (block, Int(truncatingIfNeeded: frame &- block &* frames))
  }

  private func plane(_ plane: Int, of block: Memory, at frame: Int) -> Memory {
    block + (plane &* blockFrames &+ frame) &* strideBytes
  }
}

extension FrameStore {
  /// Adds an empty block to the list in memory.
  private mutating func addBlock() throws(TimeDSPStatus) {
    let pointerBytes = MemoryLayout<Memory>.stride
    if blockCount == blockCapacity {
      let larger = try Storage(bytes: 2 &* blockCapacity &* pointerBytes)
      timedsp_copy(larger.base, blockList.base, blockCount &* pointerBytes)
      blockList = larger
      blockCapacity &*= 2
    }
    guard let memory = timedsp_allocate(blockBytes) else { throw TIMEDSP_NO_MEMORY }
    (blocks + blockCount).initialize(to: memory)
    blockCount &+= 1
  }

  /// The memory for the frames of `block`. Up to the limit, each block has memory of its own.
  private mutating func memory(toFill block: UInt64) -> Memory? {
    if block >= UInt64(truncatingIfNeeded: blockCount), block < mostBlocks {
      do throws(TimeDSPStatus) {
        try addBlock()
      } catch {
        // the machine has less memory than the limit allows: continue with the file
        mostBlocks = block
      }
    }
    if block < mostBlocks { return blocks[Int(truncatingIfNeeded: block)] }
    if filled == nil { filled = timedsp_allocate(blockBytes) }
    return filled
  }

  /// Appends frames. Returns whether all of them have been stored.
  mutating func append(_ from: UnsafePointer<UnsafeRawPointer?>, frames: Int) -> Bool {
    var done = 0
    while done < frames {
      let position = blockPosition(of: count)
      let some = min(frames &- done, blockFrames &- position.frame)
      guard let memory = memory(toFill: position.block) else { return false }
      var plane = 0
      while plane < planes {
        guard let samples = from[plane] else { return false }
        timedsp_copy(
          self.plane(plane, of: memory, at: position.frame), samples + done &* strideBytes,
          some &* strideBytes)
        plane &+= 1
      }
      if position.frame &+ some == blockFrames, position.block >= mostBlocks {
        guard write(fileOwner, memory, blockBytes) != 0 else { return false }
        fileBlocks &+= 1
      }
      count &+= UInt64(truncatingIfNeeded: some)
      done &+= some
    }
    return true
  }
}

extension FrameStore {
  private mutating func memory(toRead block: UInt64, isBackward: Bool) -> Memory? {
    if block < mostBlocks { return blocks[Int(truncatingIfNeeded: block)] }
    let index = block &- mostBlocks
    if index == fileBlocks { return filled }
    if index == loadedIndex { return loaded }

    loadedIndex = nil
    if loaded == nil { loaded = timedsp_allocate(blockBytes) }
    let next = isBackward ? index &- 1 : index &+ 1
    guard let loaded, read(fileOwner, index, loaded, blockBytes, next) != 0 else {
      return nil
    }
    loadedIndex = index
    return loaded
  }

  /// Returns frames that are contiguous in memory: from `frame` on, or up to the frame before
  /// `frame` if `isBackward`.
  mutating func peek(_ frame: UInt64, isBackward: Bool) -> TimeStoreSpan? {
    guard isBackward ? frame > 0 && frame <= count : frame < count else { return nil }
    let position = blockPosition(of: isBackward ? frame &- 1 : frame)
    guard let memory = memory(toRead: position.block, isBackward: isBackward) else { return nil }
    let first = isBackward ? 0 : position.frame
    let firstFrame =
      frame
      &- UInt64(
        truncatingIfNeeded: isBackward ? position.frame &+ 1 : 0)
    let left = count &- firstFrame

    let list = spanList.base.assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
    var plane = 0
    while plane < planes {
      let samples = self.plane(plane, of: memory, at: first)
      (list + plane).initialize(to: UnsafePointer(samples.assumingMemoryBound(to: UInt8.self)))
      plane &+= 1
    }
    var span = TimeStoreSpan()
    span.planes = UnsafePointer(list)
    span.first_frame = firstFrame
    span.n_frames =
      isBackward
      ? position.frame &+ 1
      : min(blockFrames &- first, Int(truncatingIfNeeded: min(left, UInt64(Int32.max))))
    return span
  }
}
