// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The place where a new decode's block meets a block in the cache. The decode also contains some
/// frames of that block, the overlap, so that we can compare them.
struct Seam {
  let decode: DecodePointer
  let block: Block
  let direction: TimeDSPDirection
  let limits: FetchLimits

  /// The index of the overlap in the cache.
  private let overlapIndex: Int64
  let overlapFrames: Int
  /// Where we expect the overlap in the decode.
  let planned: Int

  /// `decode` is the new one, below `block` if `direction` is backward, or else above it.
  init(
    of decode: DecodePointer, with block: Block, _ direction: TimeDSPDirection,
    _ limits: FetchLimits
  ) {
    self.decode = decode
    self.block = block
    self.direction = direction
    self.limits = limits
    let join = decode.pointee.joinIndex
    let most = min(Int(truncatingIfNeeded: limits.overlapFrames), block.frames)
    let isBackward = direction == TIMEDSP_BACKWARD
    overlapIndex = isBackward ? block.index : block.endIndex &- Int64(truncatingIfNeeded: most)
    overlapFrames = isBackward ? most : min(most, join)
    planned = isBackward ? join : join &- overlapFrames
  }

  private var isComparable: Bool { overlapFrames > 0 && decode.pointee.frames >= overlapFrames }

  /// Where the new block ends (backward) or begins in the decode, if the overlap is `shift` frames
  /// later than expected.
  func cut(_ shift: Int) -> Int {
    max(min(decode.pointee.joinIndex &+ shift, decode.pointee.frames), 0)
  }

  /// Looks for the overlap in the decode. The new block ends (backward) or begins at `cut` in the
  /// decode. `nil` if we can't find it, so the two decodes differ.
  func find() -> (cut: Int, isShifted: Bool)? {
    let search = Int(truncatingIfNeeded: limits.searchFrames)
    guard isComparable,
      let there = decode.pointee.address(of: 0), let here = block.address(of: overlapIndex),
      let positions = SearchPositions(
        decode: decode.pointee.frames, needle: overlapFrames, planned: planned, search: search)
    else { return nil }
    let bytes = DecodeSearch(
      decode: there, needle: here, decodePlaneBytes: decode.pointee.planeBytes,
      needlePlaneBytes: block.decode.pointee.planeBytes, planes: Int(decode.pointee.format.planes),
      strideBytes: Int(decode.pointee.format.stride_bytes), needleFrames: overlapFrames)
    guard let position = bytes.firstMatch(in: positions) else { return nil }
    return (cut(position &- planned), position != planned)
  }
}

/// 5 ms.
func fadeFrames(rate: UInt32) -> Int64 { Int64(max(rate / 200, 1)) }

struct SeamDifference {
  /// The error at the best alignment, relative to the level of the decodes
  /// (`DecodeAlignment.relativeError(of:)`).
  var error = 0.0
  var isSimilar = false
}

/// Interleaved samples as `Double` values. Full scale is 1.
private struct Numbers: ~Copyable {
  let storage: Storage
  let base: UnsafeMutablePointer<Double>

  init(frames: Int, channels: Int) throws(TimeDSPStatus) {
    let (count, isTooMuch) = max(frames, 1).multipliedReportingOverflow(by: channels &* 8)
    try require(!isTooMuch, else: TIMEDSP_NO_MEMORY)
    storage = try Storage(bytes: count)
    base = storage.base.bindMemory(to: Double.self, capacity: max(frames, 1) &* channels)
    timedsp_clear(base, count)
  }
}

extension Seam {
  private var channels: Int { Int(decode.pointee.format.channels) }

  private func convert(
    _ samples: UnsafeMutableRawPointer, of decode: DecodePointer,
    _ numbers: UnsafeMutablePointer<Double>,
    _ frames: Int, toNumbers: Bool, by convert: TimeBlocksConvert
  ) {
    var format = decode.pointee.format
    convert(&format, toNumbers ? 1 : 0, samples, decode.pointee.planeBytes, numbers, frames)
  }

  /// Finds the best alignment of two decodes that differ, and crossfades between them.
  ///
  /// The crossfade is at the end of the overlap, is at most 5 ms long, and changes the block in the
  /// cache. If `onlySimilar` is set, we don't crossfade decodes with different audio. If there's no
  /// overlap, or if we run out of memory, we don't crossfade, and cut the new block as planned.
  /// `cut` means the same as in `find()`.
  func fade(
    onlySimilar: Bool, by convert: TimeBlocksConvert
  ) -> (cut: Int, difference: SeamDifference) {
    let plan = (cut: decode.pointee.joinIndex, difference: SeamDifference())
    guard isComparable else { return plan }
    do throws(TimeDSPStatus) {
      return try fadeWhereItFits(onlySimilar: onlySimilar, by: convert) ?? plan
    } catch {
      return plan
    }
  }

  private func fadeWhereItFits(
    onlySimilar: Bool, by convert: TimeBlocksConvert
  ) throws(TimeDSPStatus) -> (cut: Int, difference: SeamDifference)? {
    // we only convert the part of the decode that we search
    let search = Int(truncatingIfNeeded: limits.searchFrames)
    let from = planned &- min(planned, search)
    let end = min(planned &+ overlapFrames &+ search, decode.pointee.frames)
    guard from <= end, let theirs = decode.pointee.address(of: from),
      let ours = block.address(of: overlapIndex),
      let positions = SearchPositions(
        decode: end &- from, needle: overlapFrames, planned: planned &- from, search: search)
    else { return nil }
    let there = try Numbers(frames: end &- from, channels: channels)
    let here = try Numbers(frames: overlapFrames, channels: channels)
    self.convert(theirs, of: decode, there.base, end &- from, toNumbers: true, by: convert)
    self.convert(ours, of: block.decode, here.base, overlapFrames, toNumbers: true, by: convert)
    silenceStrange(there.base, count: (end &- from) &* channels)
    silenceStrange(here.base, count: overlapFrames &* channels)

    let alignment = DecodeAlignment(
      decode: UnsafeRawPointer(there.base), needle: UnsafeRawPointer(here.base),
      channels: channels, needleFrames: overlapFrames)
    guard let match = alignment.best(of: positions, planned: planned &- from) else { return nil }
    let fitting = there.base + match.frame &* channels
    let similarity = DecodeSimilarity(
      one: UnsafeRawPointer(fitting), other: UnsafeRawPointer(here.base),
      frames: overlapFrames, channels: channels)
    let difference = SeamDifference(
      error: alignment.relativeError(of: match),
      isSimilar: similarity.areSimilar(rate: Int(limits.rate)))
    if onlySimilar, !difference.isSimilar { return (decode.pointee.joinIndex, difference) }
    fade(from: from &+ match.frame, fitting, here.base, by: convert)
    return (cut(from &+ match.frame &- planned), difference)
  }

  /// Crossfades inside the block. The overlap begins at `first` in the decode. `fitting` points to
  /// the decode's samples there, and `here` to the block's.
  ///
  /// If the decode is below the block, its decoder started earlier, so we use its frames for the
  /// overlap before the crossfade. Otherwise, the block keeps its own frames there.
  private func fade(
    from first: Int, _ fitting: UnsafeMutablePointer<Double>, _ here: UnsafeMutablePointer<Double>,
    by convert: TimeBlocksConvert
  ) {
    let longest = fadeFrames(rate: decode.pointee.format.rate)
    let frames = min(Int(truncatingIfNeeded: longest), overlapFrames)
    let skip = overlapFrames &- frames
    let theirs = fitting + skip &* channels
    let ours = here + skip &* channels
    let isBackward = direction == TIMEDSP_BACKWARD
    if isBackward { overwrite(frames: skip, with: first) }
    crossfade(
      from: isBackward ? theirs : ours, to: isBackward ? ours : theirs, output: ours,
      frames: frames, channels: channels)
    guard
      let faded = block.address(of: overlapIndex &+ Int64(truncatingIfNeeded: skip))
    else { return }
    self.convert(faded, of: block.decode, ours, frames, toNumbers: false, by: convert)
  }

  /// Overwrites the beginning of the overlap with frames of the decode, starting at index `first`.
  private func overwrite(frames: Int, with first: Int) {
    guard let from = decode.pointee.address(of: first), let to = block.address(of: overlapIndex)
    else { return }
    for plane in upTo(Int(decode.pointee.format.planes)) {
      timedsp_copy(
        to + plane &* block.decode.pointee.planeBytes, from + plane &* decode.pointee.planeBytes,
        frames &* Int(decode.pointee.format.stride_bytes))
    }
  }
}

/// Sets samples to 0 if they aren't finite.
func silenceStrange(_ samples: UnsafeMutablePointer<Double>, count: Int) {
  for index in upTo(count) where !samples[index].isFinite { samples[index] = 0 }
}

/// Crossfades interleaved samples. `output` may be the same memory as `from` or `to`.
///
/// The weight of `to` is a raised cosine, sampled in the middle of each frame. The weights of the
/// nth frame and of the nth frame from the end add up to 1.
func crossfade(
  from: UnsafePointer<Double>, to: UnsafePointer<Double>, output: UnsafeMutablePointer<Double>,
  frames: Int, channels: Int
) {
  var (frame, index) = (0, 0)
  while frame < frames {
    let progress = (Double(frame) + 0.5) / Double(frames)
    let weight = (1 - cosPi(progress)) / 2
    let end = index &+ channels
    while index < end {
      output[index] = from[index] + weight * (to[index] - from[index])
      index &+= 1
    }
    frame &+= 1
  }
}
