// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Synchronization

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
    // a header may declare more frames than fit in an Int
    let stated = Int(saturating: Double(information.frames ?? 0) * Double(information.channels))
    let first = try await outline(columns, samples: stated, report)
    if information.missing != nil {
      let seconds = Double(first.done) / Double(max(information.channels * information.rate, 1))
      known.change { $0.information?.duration = .seconds(saturating: seconds) }
    }
    let isStatedRight = abs(first.done - stated) <= stated / columns
    if isStatedRight || first.done == 0 { return first.waveform }
    // decode again, with the right length
    return try await outline(columns, samples: first.done, report).waveform
  }

  private func outline(
    _ columns: Int, samples: Int, _ report: @escaping @Sendable (Waveform) -> Void
  ) async throws -> Outline {
    let outline = Mutex(Outline(columns: columns, samples: samples))
    try await decode { new in
      if let waveform = outline.withLock({ $0.add(new) ? $0.waveform : nil }) { report(waveform) }
    }
    var whole = outline.withLock { $0 }
    whole.waveform.fraction = 1
    report(whole.waveform)
    return whole
  }
}

struct Outline {
  private(set) var done = 0
  let samples: Int
  var waveform: AudioFile.Waveform

  init(columns: Int, samples: Int) {
    // limited so that the product with the number of columns doesn't overflow
    self.samples = min(max(samples, 1), Int.max / (columns + 1) - columns)
    waveform = AudioFile.Waveform(columns: Array(repeating: 0...0, count: columns), fraction: 0)
  }

  /// Returns true if another fiftieth of the file is complete.
  mutating func add<Samples: RandomAccessCollection<Float>>(
    _ new: Samples
  ) -> Bool where Samples.Index == Int {
    let count = waveform.columns.count
    var start = 0
    while start < new.count {
      let column = min((done + start) * count / samples, count - 1)
      let end = column == count - 1 ? Int.max : ((column + 1) * samples + count - 1) / count
      let stop = min(end - done, new.count)
      extend(column, by: new[start..<max(stop, start + 1)])
      start = max(stop, start + 1)
    }
    let before = done * 50 / samples
    done += new.count
    waveform.fraction = min(Double(done) / Double(samples), 1)
    return done * 50 / samples > before
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
