// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// The waveform of a file: the minimum and maximum sample of each column.
  ///
  /// ```swift
  /// let outline = try await song.waveform(columns: 80)
  /// let peaks = outline.columns.map { max(-$0.lowerBound, $0.upperBound) }
  /// ```
  public struct Waveform: Sendable, Equatable {
    /// Minimum and maximum over all channels, where full scale is −1 … 1. Columns that we haven't
    /// read yet are 0 … 0.
    public internal(set) var columns: [ClosedRange<Float>]
    /// The fraction of the file that we've read, 0 … 1.
    public internal(set) var fraction: Double
  }
}

extension AudioFile {
  /// Decodes the whole file and computes its waveform.
  ///
  /// - Parameters:
  ///   - columns: 1 … 1,000,000. Other values are clamped.
  ///   - progress: Called with the waveform so far after each fiftieth of the file.
  /// - Throws: Whatever ``information()`` throws, or `CancellationError` if the task is cancelled.
  public func waveform(
    columns: Int, progress: @escaping @Sendable (Waveform) -> Void = { _ in }
  ) async throws -> Waveform {
    try await Activity.$current.withValue(Activity()) {
      try await draw(min(max(columns, 1), 1_000_000), progress)
    }
  }

  private func draw(
    _ columns: Int, _ report: @escaping @Sendable (Waveform) -> Void
  ) async throws -> Waveform {
    let information = try await opened()
    let stated = Int(clamping: information.frames ?? 0)
    let first = try await outline(columns, frames: stated, report)
    if information.missing != nil {
      let seconds = Double(first.done) / Double(max(information.rate, 1))
      known.change { $0.information?.duration = .seconds(saturating: seconds) }
    }
    let isStatedRight = abs(first.done - stated) <= stated / columns
    if isStatedRight || first.done == 0 { return first.waveform }
    // decode again, with the right length
    return try await outline(columns, frames: first.done, report).waveform
  }

  private func outline(
    _ columns: Int, frames: Int, _ report: @escaping @Sendable (Waveform) -> Void
  ) async throws -> Outline {
    var outline = Outline(columns: columns, frames: frames)
    for try await block in samples where outline.add(block.planes) { report(outline.waveform) }
    outline.waveform.fraction = 1
    report(outline.waveform)
    return outline
  }
}

struct Outline {
  private(set) var done = 0
  let frames: Int
  var waveform: AudioFile.Waveform

  init(columns: Int, frames: Int) {
    // limited so that the product with the number of columns doesn't overflow
    self.frames = min(max(frames, 1), Int.max / (columns + 1) - columns)
    waveform = AudioFile.Waveform(columns: Array(repeating: 0...0, count: columns), fraction: 0)
  }

  /// Adds a part of all channels. Returns true if another fiftieth of the file is complete.
  mutating func add(_ planes: [[Float]]) -> Bool {
    let columns = waveform.columns.count
    let count = planes.first?.count ?? 0
    var start = 0
    while start < count {
      let column = min((done + start) * columns / frames, columns - 1)
      let end = column == columns - 1 ? Int.max : ((column + 1) * frames + columns - 1) / columns
      let stop = max(min(end - done, count), start + 1)
      for plane in planes { extend(column, by: plane.dropFirst(start).prefix(stop - start)) }
      start = stop
    }
    let before = done * 50 / frames
    done += count
    waveform.fraction = min(Double(done) / Double(frames), 1)
    return done * 50 / frames > before
  }

  private mutating func extend(_ column: Int, by samples: some Sequence<Float>) {
    var (low, high) = (waveform.columns[column].lowerBound, waveform.columns[column].upperBound)
    for sample in samples where sample.isFinite {
      low = min(low, sample)
      high = max(high, sample)
    }
    waveform.columns[column] = low...max(low, high)
  }
}
