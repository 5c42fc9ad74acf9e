// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Synchronization

extension AudioFile {
  /// Progress of rendering a file.
  ///
  /// ```swift
  /// try await song.reverse(to: output) { progress in
  ///   print("\(Int(100 * progress.fraction)) %, \(progress.speed) × real time")
  /// }
  /// ```
  public struct Progress: Sendable, Equatable, Codable {
    /// The fraction that's done, 0 … 1.
    public var fraction: Double
    /// The time since we started.
    public var elapsed: Duration
    /// Seconds of input processed per second, or 0 until we know.
    public var speed: Double
    /// Estimated remaining time, or nil until we know.
    public var remaining: Duration?

    package init(fraction: Double, elapsed: Duration, inputDuration: Duration) {
      self.fraction = fraction
      self.elapsed = elapsed
      let seconds = elapsed.inSeconds
      speed = seconds > 0 ? fraction * inputDuration.inSeconds / seconds : 0
      if fraction > 0 { remaining = .seconds(saturating: seconds * (1 - fraction) / fraction) }
    }
  }

  /// Progress of work in several parts that each report their own progress.
  final class SharedProgress: Sendable {
    private let start = ContinuousClock.now
    private let inputDuration: Duration
    private let report: @Sendable (Progress) -> Void
    /// The largest fraction reported so far, 0 … 1.
    private let furthest = Mutex(0.0)

    init(of inputDuration: Duration, _ report: @escaping @Sendable (Progress) -> Void) {
      self.inputDuration = inputDuration
      self.report = report
    }

    var elapsed: Duration { .now - start }

    /// A function for one part to report its progress. `part` is its share of the work.
    func run(_ part: ClosedRange<Double>) -> @Sendable (Progress) -> Void {
      { self.reach(part.lowerBound + $0.fraction * (part.upperBound - part.lowerBound)) }
    }

    func reach(_ fraction: Double) {
      let fraction = furthest.withLock { furthest in
        furthest = max(furthest, fraction)
        return furthest
      }
      report(Progress(fraction: fraction, elapsed: .now - start, inputDuration: inputDuration))
    }
  }

  /// The result of writing a file.
  ///
  /// ```swift
  /// let rendering = try await song.reverse(to: output)
  /// for loss in rendering.losses { print(loss) }
  /// ```
  public struct Rendering: Sendable, Codable {
    /// The new file.
    public var url: URL
    /// Information about the input.
    public var input: AudioInformation
    /// Information about the new file, read from the file itself.
    public var output: AudioInformation
    /// Time that the work took.
    public var elapsed: Duration
    /// The factor that samples were multiplied by, which combines ``AudioEdit/gain``,
    /// ``AudioEdit/normalizes`` and ``AudioEdit/Peaks/guarded``.
    public var amplification: Float
    /// Number of samples that exceeded full scale and were clipped.
    public var clipped: Int64
    /// What the new file couldn't keep of the input. Each loss describes itself in a sentence for
    /// the user.
    public var losses: [Loss]
  }
}
