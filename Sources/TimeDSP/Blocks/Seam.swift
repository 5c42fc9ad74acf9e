// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The place where a new decode's block meets a block in the cache. The decode also contains some
/// frames of that block, the overlap, so that we can compare them.
struct Seam: ~Copyable {
  let decode: DecodePointer
  let block: Block
  let direction: TimeDSPDirection
  private let convert: TimeBlocksConvert

  /// The index of the overlap in the cache.
  private let overlapIndex: Int64
  private let overlapFrames: Int
  /// Where we expect the overlap in the decode.
  private let planned: Int
  /// The frames of the decode from which on we look for the overlap, and the block's frames.
  private let there: SeamSamples
  private let here: SeamSamples
  private let from: Int
  /// Where the overlap fits best, in `there`. `nil` if there's no overlap.
  private var match: DecodeAlignment.Match?

  /// `decode` is the new one, below `block` if `direction` is backward, or else above it. Throws if
  /// we run out of memory.
  init(
    of decode: DecodePointer, with block: Block, _ direction: TimeDSPDirection,
    _ limits: FetchLimits, by convert: TimeBlocksConvert
  ) throws(TimeDSPStatus) {
    let join = decode.pointee.joinIndex
    let most = min(Int(truncatingIfNeeded: limits.overlapFrames), block.frames)
    let isBackward = direction == TIMEDSP_BACKWARD
    let frames = isBackward ? most : min(most, join)
    let planned = isBackward ? join : join &- frames
    let search = Int(truncatingIfNeeded: limits.searchFrames)
    let from = max(planned &- search, 0)
    let end = min(planned &+ frames &+ search, decode.pointee.frames)
    let overlap = isBackward ? block.index : block.endIndex &- Int64(truncatingIfNeeded: frames)
    let there = try SeamSamples(
      decode, at: decode.pointee.address(of: from), frames: end &- from, by: convert)
    let here = try SeamSamples(
      block.decode, at: block.address(of: overlap), frames: frames, by: convert)
    self.there = there
    self.here = here
    self.decode = decode
    self.block = block
    self.direction = direction
    self.convert = convert
    self.planned = planned
    self.from = from
    overlapIndex = overlap
    overlapFrames = frames
    if frames > 0,
      let positions = SearchPositions(
        decode: end &- from, needle: frames, planned: planned &- from, search: search)
    {
      match = alignment.best(of: positions, planned: planned &- from)
    }
  }

  private var channels: Int { Int(decode.pointee.format.channels) }

  private var alignment: DecodeAlignment {
    DecodeAlignment(
      decode: UnsafeRawPointer(there.base), needle: UnsafeRawPointer(here.base),
      channels: channels, needleFrames: overlapFrames)
  }

  private var shift: Int { match.map { from &+ $0.frame &- planned } ?? 0 }

  /// The two decodes have the same audio.
  var isEqual: Bool { match?.squares == 0 }
  var isShifted: Bool { shift != 0 }

  /// Where the new block ends (backward) or begins in the decode.
  var cut: Int { max(min(decode.pointee.joinIndex &+ shift, decode.pointee.frames), 0) }
}

/// 5 ms.
func fadeFrames(rate: UInt32) -> Int64 { Int64(max(rate / 200, 1)) }

struct SeamDifference {
  /// The error at the best alignment, relative to the level of the decodes
  /// (`DecodeAlignment.relativeError(of:)`).
  var error = 0.0
  var isSimilar = false
}

/// Samples of a decode, interleaved. Those that aren't finite are silent.
private struct SeamSamples: ~Copyable {
  private let memory: Arena
  let base: UnsafeMutablePointer<Double>

  init(
    _ decode: DecodePointer, at samples: UnsafeMutableRawPointer?, frames: Int,
    by convert: TimeBlocksConvert
  ) throws(TimeDSPStatus) {
    var format = decode.pointee.format
    let count = max(frames, 0).multipliedReportingOverflow(by: Int(format.channels) &* 8)
    try require(!count.overflow, else: TIMEDSP_NO_MEMORY)
    var memory = Arena()
    let row: Row<Double> = try memory.row(max(count.partialValue / 8, 1))
    base = row.address(0)
    self.memory = memory
    guard frames > 0, let samples else { return }
    convert(&format, 1, samples, decode.pointee.planeBytes, base, frames)
    silenceStrange(base, count: count.partialValue / 8)
  }
}

extension Seam {
  /// How much the two decodes differ at best.
  var difference: SeamDifference {
    guard let match else { return SeamDifference() }
    let similarity = DecodeSimilarity(
      one: UnsafeRawPointer(there.base + match.frame &* channels),
      other: UnsafeRawPointer(here.base), frames: overlapFrames, channels: channels)
    return SeamDifference(
      error: alignment.relativeError(of: match),
      isSimilar: similarity.areSimilar(rate: Int(decode.pointee.format.rate)))
  }

  /// Crossfades between two decodes that differ, inside the block: at the end of the overlap, for
  /// at most 5 ms.
  ///
  /// If the decode is below the block, its decoder started earlier, so we use its frames for the
  /// overlap before the crossfade. Otherwise, the block keeps its own frames there.
  func fade() {
    guard let match else { return }
    let longest = fadeFrames(rate: decode.pointee.format.rate)
    let frames = min(Int(truncatingIfNeeded: longest), overlapFrames)
    let skip = overlapFrames &- frames
    let theirs = there.base + (match.frame &+ skip) &* channels
    let ours = here.base + skip &* channels
    let isBackward = direction == TIMEDSP_BACKWARD
    if isBackward { overwrite(frames: skip, with: from &+ match.frame) }
    crossfade(
      from: isBackward ? theirs : ours, to: isBackward ? ours : theirs, output: ours,
      frames: frames, channels: channels)
    guard let faded = block.address(of: overlapIndex &+ Int64(truncatingIfNeeded: skip)) else {
      return
    }
    var format = block.decode.pointee.format
    convert(&format, 0, faded, block.decode.pointee.planeBytes, ours, frames)
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
