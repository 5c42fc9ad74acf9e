// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Divides a stream between several branches of a pipeline that scale it in parallel.
///
/// We cut the stream into blocks of equal length, and group the blocks into slices. Each branch
/// scales every n-th slice. The first and last output frames of a slice depend on the frames around
/// them, so a branch also receives a margin on either side, which is the end of the block before
/// and the start of the block after. We drop the output for the margins.
///
/// Blocks and margins are a whole number of frames both before and after scaling. So each branch
/// computes its output at the same positions between input frames as a single `timescale` would,
/// and you get the same bits.
struct SliceLayout: Equatable, Sendable {
  let branches: Int
  let blocks: Int
  let blockFrames: Int, scaledBlockFrames: Int
  let marginFrames: Int, scaledMarginFrames: Int
  let frameBytes: Int

  /// For any factor in ``factors``, an output frame depends on fewer frames than this on either
  /// side.
  private static let minMarginFrames = 2048
  private static let factors = 0.25...4.0
  /// The maximum number of blocks in a slice, and the maximum size of a slice after scaling. A
  /// single block may be larger.
  private static let maxBlocks = 16
  private static let maxBytes = 8 << 20

  /// Nil if no time up to half a second is a whole number of frames both before and after scaling,
  /// or if `factor` is too far from 1.
  ///
  /// `timescale` uses the fraction with the smallest denominator that equals `factor` as a
  /// `Double`. We find the same one here.
  init?(rate: Int, factor: Double, frameBytes: Int, branches: Int) {
    guard branches > 1, Self.factors.contains(factor), rate > 0, rate < 1_000_000,
      let denominator = (1...max(rate / 2, 1)).first(where: { ratio(Double($0), factor) == factor })
    else { return nil }
    let numerator = Int(saturating: (Double(denominator) * factor).rounded())
    func multiple(_ frames: Int) -> Int { (frames + denominator - 1) / denominator }
    (self.branches, self.frameBytes) = (branches, frameBytes)
    let margin = multiple(Self.minMarginFrames)
    (marginFrames, scaledMarginFrames) = (margin * denominator, margin * numerator)
    // `timescale` splits each buffer into four, and every buffer costs time in each element
    let block = max(multiple(rate * 2 / 5), margin)
    (blockFrames, scaledBlockFrames) = (block * denominator, block * numerator)
    let blockBytes = max(scaledBlockFrames * frameBytes, 1)
    blocks = min(max(Self.maxBytes / blockBytes, 1), Self.maxBlocks)
  }

  /// How many buffers the queue at the end of a branch must hold so that the branch can scale a
  /// whole slice while we read the others: the slice itself, its margins and the previous slice's
  /// margins. Only a few buffers are smaller than ``Buffer/joinedBytes``.
  var queuedBuffers: Int {
    let frames = scaledBlockFrames * blocks + 4 * scaledMarginFrames
    return frames * frameBytes / Buffer.joinedBytes + 8
  }

  /// Each branch also scales two margins between its slices: one after the previous slice, and one
  /// before this slice. This is how many frames they have together. We can't drop the first margin earlier, because
  /// `timescale` doesn't output the end of it until it receives the second.
  func scaledFramesToDrop(before slice: Int) -> Int {
    slice == 0 ? 0 : slice < branches ? scaledMarginFrames : 2 * scaledMarginFrames
  }

  enum Part { case whole, start, end }

  func receivers(ofBlock index: Int) -> [(branch: Int, part: Part)] {
    let slice = index / blocks
    var receivers = [(slice % branches, Part.whole)]
    if index % blocks == 0, slice > 0 { receivers.append(((slice - 1) % branches, .start)) }
    if index % blocks == blocks - 1 { receivers.append(((slice + 1) % branches, .end)) }
    return receivers
  }
}

private func ratio(_ denominator: Double, _ factor: Double) -> Double {
  (denominator * factor).rounded() / denominator
}

extension AudioEdit {
  /// How we divide a stream for scaling, or nil if a single `timescale` has to process all of it.
  /// With a time map or a changed pitch, the output depends on everything that came before. With
  /// aligned ends, it depends on the length.
  func slices(of information: AudioInformation, branches: Int) -> SliceLayout? {
    guard isScaled, timeMap == nil, pitch == .followsSpeed, alignment == .stream else { return nil }
    return SliceLayout(
      rate: information.rate, factor: factor.value,
      frameBytes: frameBytes(of: information, as: information.floatFormat), branches: branches)
  }
}
