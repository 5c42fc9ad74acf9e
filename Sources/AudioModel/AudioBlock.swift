// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Consecutive frames of planar audio: one array of samples for each channel.
///
/// ```swift
/// let block = AudioBlock(sampleRate: 48_000, planes: [[0, 0.5, 1], [0, -0.5, -1]])
/// print("\(block.channels) channels, \(block.frames) frames")
/// ```
public struct AudioBlock: Sendable, Hashable {
  /// Frames per second.
  public var sampleRate: Int
  /// The samples of each channel, the same number for all channels. Full scale is −1 … 1.
  public var planes: [[Float]]

  /// Creates a block.
  public init(sampleRate: Int, planes: [[Float]]) {
    (self.sampleRate, self.planes) = (sampleRate, planes)
  }

  /// The number of planes.
  public var channels: Int { planes.count }
  /// Samples per plane, or 0 if there aren't any planes.
  public var frames: Int { planes.first?.count ?? 0 }
}
