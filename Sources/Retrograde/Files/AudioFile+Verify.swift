// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// The result of comparing two decodings frame by frame.
  ///
  /// ```swift
  /// let comparison = try await song.verifyReversal(in: AudioFile(output)).finish()
  /// print("\(comparison.differing) of \(comparison.frames) frames differ")
  /// ```
  public struct Comparison: Sendable, Equatable, Codable {
    /// Number of frames that exist in both decodings.
    public var frames: Int64 = 0
    /// Number of common frames that differ.
    public var differing: Int64 = 0
    /// The largest difference between two samples; full scale is 1.
    public var largestDifference: Double = 0
    /// The index of the first frame that differs.
    public var firstDifference: Int64?
    /// Number of frames that only the second decoding has; negative if it has fewer.
    public var surplus: Int64 = 0
    /// Number of samples beyond full scale in the first decoding, if the second decoding is limited
    /// to full scale. These samples are compared as if they were at full scale.
    public var clipped: Int64 = 0

    /// Whether both decodings have the same number of frames, and all frames are equal.
    public var isExact: Bool { differing == 0 && surplus == 0 && clipped == 0 }
  }
}

extension AudioFile {
  /// Reverses the reversed sound again, and compares the result with the original.
  ///
  /// Call this on the original file, whose sound was reversed by `edit`. Pass the reversed file if
  /// it is lossless: it is reversed again. If `reversed` is nil, the sound of the original is
  /// reversed twice instead. It is not encoded; in between, it is kept in a temporary file as by
  /// `revbuf mode=collect`.
  public func verifyReversal(
    in reversed: AudioFile?, edit: AudioEdit = AudioEdit(direction: .reverse)
  ) -> Job<Progress, Comparison> {
    Job { report in try await compareReversal(in: reversed, edit: edit, Storage(), report) }
  }

  /// Does the work of ``verifyReversal(in:edit:)``. Before the comparison, the samples of the
  /// original are changed as `storage` describes.
  func compareReversal(
    in reversed: AudioFile?, edit: AudioEdit, _ storage: Storage,
    _ report: @escaping @Sendable (Progress) -> Void
  ) async throws -> Comparison {
    let clock = ContinuousClock.now
    let information = try await opened()
    let channels = edit.channelElements(of: information)
    let part = information.part(edit.region)
    let slack = edit.region != nil && information.isLossy ? information.cutFrames : 0
    let original = try await SampleReader<Double>.start(self, through: channels, format: "F64LE")
    let again = try await reversedAgain(reversed, edit, information)
    let count = edit.channels.count(of: information)
    let total = Double(max(part.clamped(to: 0..<(information.frames ?? 1)).count, 1))
    let comparison = await blocking {
      let first = FrameReader(
        original, channels: count, part: part.widened(by: slack), storage)
      return compare(first, FrameReader(again, channels: count), slack: slack) {
        report(
          Progress(
            fraction: min(Double($0) / total, 1), elapsed: .now - clock,
            inputDuration: information.duration(of: edit.region)))
      }
    } cancel: {
      await original.stop()
      await again.stop()
    }
    try await original.finish()
    try await again.finish()
    return comparison
  }

  private func reversedAgain(
    _ reversed: AudioFile?, _ edit: AudioEdit, _ information: AudioInformation
  ) async throws -> SampleReader<Double> {
    guard let reversed else {
      let parts =
        edit.channelElements(of: information)
        + [edit.reversal(of: information), AudioEdit.secondReversal]
      return try await .start(
        self, through: parts, format: "F64LE",
        region: edit.region.map(RegionPlan.Region.init))
    }
    let whole = AudioEdit(direction: .reverse, seam: edit.seam)
    let parts = whole.elements(for: try await reversed.information())
    return try await .start(reversed, through: parts, format: "F64LE")
  }
}

extension AudioInformation {
  /// The indices of the frames in a region; all frames if `region` is nil.
  fileprivate func part(_ region: Range<Duration>?) -> Range<Int64> {
    guard let region else { return 0..<Int64.max }
    let frames = [region.lowerBound, region.upperBound].map {
      Int64(saturating: ($0.inSeconds * Double(rate)).rounded())
    }
    return frames[0]..<max(frames[0], frames[1])
  }

  /// Maximum error of the ends of a region, in frames: decoders cut at rounded times, MP4 decoders
  /// may output one frame before the first, and Matroska rounds times to milliseconds.
  fileprivate var cutFrames: Int64 { Int64(clamping: rate / 1000 + 1) }
}

extension Range<Int64> {
  /// The range, extended by up to `frames` frames at both ends.
  fileprivate func widened(by frames: Int64) -> Self {
    let (end, isBeyond) = upperBound.addingReportingOverflow(frames)
    return Swift.max(lowerBound - frames, 0)..<(isBeyond ? .max : end)
  }
}

/// How samples change when they are stored: multiplied by a factor, and clipped to full scale.
struct Storage: Sendable {
  private var amplification = 1.0
  /// The largest value that can be stored; nil for floats.
  private var ceiling: Double?

  /// Leaves samples unchanged.
  init() {}

  init(_ amplification: Float, in format: SampleFormat) {
    self.amplification = Double(amplification)
    // The steps are 1 / 2^(bits − 1); there is one step fewer on the positive side.
    ceiling = format.isFloat ? nil : 1 - 1 / Double(UInt64(1) << max(format.bits - 1, 0))
  }

  /// Changes samples as storing them would, and returns how many were beyond full scale.
  func store(_ samples: inout [Double]) -> Int64 {
    if amplification != 1 {
      for index in samples.indices { samples[index] *= amplification }
    }
    guard let ceiling else { return 0 }
    var clipped = 0
    for index in samples.indices {
      if abs(samples[index]) > 1 { clipped += 1 }
      if samples[index] > ceiling { samples[index] = ceiling }
      if samples[index] < -1 { samples[index] = -1 }
    }
    return Int64(clamping: clipped)
  }
}

/// Reads whole frames, buffer by buffer.
private struct FrameReader {
  private let reader: SampleReader<Double>
  let channels: Int
  private var left: Range<Int64>
  private let storage: Storage
  /// Number of samples beyond full scale.
  private(set) var clipped: Int64 = 0

  /// `part` is the range of frames to compare.
  init(
    _ reader: SampleReader<Double>, channels: Int, part: Range<Int64> = 0..<Int64.max,
    _ storage: Storage = Storage()
  ) {
    (self.reader, self.channels, left, self.storage) = (reader, channels, part, storage)
  }

  /// The samples of the next frames; empty at the end.
  mutating func next() -> ArraySlice<Double> {
    while !left.isEmpty, case let samples = reader.next(), !samples.isEmpty {
      let frames = Int64(clamping: samples.count / channels)
      let used = left.clamped(to: 0..<frames)
      left = max(left.lowerBound - frames, 0)..<max(left.upperBound - frames, 0)
      guard !used.isEmpty else { continue }
      var found = Array(
        samples[
          Int(clamping: used.lowerBound) * channels..<Int(clamping: used.upperBound) * channels])
      clipped += storage.store(&found)
      return found[...]
    }
    return []
  }
}

/// Number of frames that are compared to find the beginning of a part.
private let beginningFrames = 512

extension FrameReader {
  /// At least the next `frames` frames; fewer at the end of the stream.
  fileprivate mutating func next(frames: Int) -> ArraySlice<Double> {
    var found: ArraySlice<Double> = []
    while found.count < frames * channels, case let more = next(), !more.isEmpty {
      found += more
    }
    return found
  }
}

/// Drops at most `slack` frames from the start of `samples`, namely the number for which the
/// remaining samples match the beginning of `others` best.
private func align(
  _ samples: ArraySlice<Double>, with others: ArraySlice<Double>, slack: Int, channels: Int
) -> ArraySlice<Double> {
  let starts = (0...slack).map { samples.dropFirst($0 * channels) }
  let distances = starts.map { start in
    zip(start, others.prefix(beginningFrames * channels)).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }
  let best = distances.indices.min { distances[$0] < distances[$1] }
  return best.map { starts[$0] } ?? samples
}

/// Reads and compares the frames of both readers to the end. `report` is called with the number of
/// frames done. `first` has up to `slack` extra frames at either end.
private func compare(
  _ first: FrameReader, _ second: FrameReader, slack: Int64, _ report: (Int64) -> Void
) -> AudioFile.Comparison {
  var (first, second) = (first, second)
  let channels = first.channels
  let mostSurplus = 2 * Int(clamping: slack)
  var comparison = AudioFile.Comparison()
  var left = first.next(frames: mostSurplus + beginningFrames)
  var right = second.next(frames: beginningFrames)
  if slack > 0 { left = align(left, with: right, slack: mostSurplus, channels: channels) }
  while !left.isEmpty, !right.isEmpty {
    let count = min(left.count, right.count)
    comparison.add(left.prefix(count), right.prefix(count), channels: channels)
    left = left.dropFirst(count)
    right = right.dropFirst(count)
    if left.isEmpty { left = first.next() }
    if right.isEmpty { right = second.next() }
    report(comparison.frames)
  }
  comparison.clipped = first.clipped
  let missing = rest(left, first)
  comparison.surplus = rest(right, second) - (missing <= mostSurplus ? 0 : missing)
  return comparison
}

/// Number of frames that have not been compared: those in `samples`, and those left in `reader`.
private func rest(_ samples: ArraySlice<Double>, _ reader: FrameReader) -> Int64 {
  var (count, reader) = (samples.count, reader)
  while case let more = reader.next(), !more.isEmpty { count += more.count }
  return Int64(clamping: count / reader.channels)
}

extension AudioFile.Comparison {
  /// Compares more samples, and counts the frames that differ. Both slices must have the same
  /// number of samples, in whole frames.
  mutating func add(
    _ first: ArraySlice<Double>, _ second: ArraySlice<Double>, channels: Int
  ) {
    var lastDiffering = -1
    for (index, (one, other)) in zip(first, second).enumerated()
    where one != other && !(one.isNaN && other.isNaN) {
      let difference = abs(one - other)
      largestDifference = max(largestDifference, difference.isNaN ? .infinity : difference)
      let frame = index / channels
      guard frame != lastDiffering else { continue }
      lastDiffering = frame
      differing += 1
      firstDifference = firstDifference ?? frames + Int64(clamping: frame)
    }
    frames += Int64(clamping: first.count / channels)
  }
}
