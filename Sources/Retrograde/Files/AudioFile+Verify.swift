// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// What a comparison of two decodings, frame by frame, has found.
public struct Comparison: Sendable, Equatable, Codable {
  /// How many frames both had.
  public var frames: Int64 = 0
  /// How many of those differ.
  public var differing: Int64 = 0
  /// The largest difference of two samples, where full scale is 1.
  public var largestDifference: Double = 0
  /// The first frame that differs.
  public var firstDifference: Int64?
  /// How many frames the second has more than the first; negative: fewer.
  public var surplus: Int64 = 0

  /// Every frame is the same, and there are as many.
  public var isExact: Bool { differing == 0 && surplus == 0 }
}

extension AudioFile {
  /// Reverses again, and compares with what the original decodes to.
  ///
  /// This is the file whose sound was reversed by `edit`. Where the reversed
  /// file is lossless, it is that which is reversed; nil reverses the sound
  /// twice before it would be encoded, and keeps it in a temporary file as
  /// `revbuf mode=collect` does. `progress` is called with 0 … 1.
  public func verifyReversal(
    in reversed: AudioFile?, edit: Edit = Edit(direction: .reverse),
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws(RetrogradeError) -> Comparison {
    let information = try await information()
    let channels = edit.channelElements(of: information)
    let seam = "seam=\(edit.seam.rawValue)"
    let original = try await SampleReader<Double>.start(self, through: channels, format: "F64LE")
    let again = try await SampleReader<Double>.start(
      reversed ?? self,
      through: reversed == nil
        ? channels + [
          "revbuf direction=reverse \(seam)", "revbuf direction=reverse mode=collect",
        ] : ["revbuf direction=reverse \(seam)"],
      format: "F64LE")
    let count = edit.channels == .all ? information.channels : 1
    let total = Double(max(information.frames ?? 1, 1))
    let comparison = await blocking {
      compare(original, again, channels: count) { progress?(min(Double($0) / total, 1)) }
    } cancel: {
      await original.stop()
      await again.stop()
    }
    try await original.finish()
    try await again.finish()
    return comparison
  }
}

/// Reads both to their ends; `report` is told how many frames are done.
private func compare(
  _ first: SampleReader<Double>, _ second: SampleReader<Double>, channels: Int,
  _ report: (Int64) -> Void
) -> Comparison {
  var comparison = Comparison()
  var (left, right) = (first.next()[...], second.next()[...])
  while !left.isEmpty, !right.isEmpty {
    let count = min(left.count, right.count) / channels * channels
    guard count > 0 else { break }
    comparison.add(left.prefix(count), right.prefix(count), channels: channels)
    left = left.dropFirst(count)
    right = right.dropFirst(count)
    if left.isEmpty { left = first.next()[...] }
    if right.isEmpty { right = second.next()[...] }
    report(comparison.frames)
  }
  comparison.surplus = rest(right, second, channels) - rest(left, first, channels)
  return comparison
}

/// How many frames are left.
private func rest(
  _ samples: ArraySlice<Double>, _ reader: SampleReader<Double>, _ channels: Int
) -> Int64 {
  var count = samples.count
  while case let more = reader.next(), !more.isEmpty { count += more.count }
  return Int64(count / channels)
}

extension Comparison {
  /// Both have as many samples, of whole frames.
  mutating func add(
    _ first: ArraySlice<Double>, _ second: ArraySlice<Double>, channels: Int
  ) {
    var lastDiffering = -1
    for (index, (one, other)) in zip(first, second).enumerated() where one != other {
      largestDifference = max(largestDifference, abs(one - other))
      let frame = index / channels
      guard frame != lastDiffering else { continue }
      lastDiffering = frame
      differing += 1
      firstDifference = firstDifference ?? frames + Int64(frame)
    }
    frames += Int64(first.count / channels)
  }
}
