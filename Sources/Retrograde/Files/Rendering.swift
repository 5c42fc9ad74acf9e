// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Synchronization

extension AudioFile {
  /// Progress of work on a file.
  ///
  /// ```swift
  /// for await progress in song.reverse(to: output).progress {
  ///   print("\(Int(100 * progress.fraction)) %, \(progress.speed) × real time")
  /// }
  /// ```
  public struct Progress: Sendable, Equatable {
    /// Completed share, 0 … 1.
    public var fraction: Double
    /// Time since the start of the work.
    public var elapsed: Duration
    /// Seconds of input that are processed per second, or 0 until this is known.
    public var speed: Double
    /// Estimated remaining time, or nil until this is known.
    public var remaining: Duration?
    /// Whether samples exceeded full scale.
    var clips = false

    init(fraction: Double, elapsed: Duration, inputDuration: Duration) {
      self.fraction = fraction
      self.elapsed = elapsed
      let seconds = elapsed.inSeconds
      speed = seconds > 0 ? fraction * inputDuration.inSeconds / seconds : 0
      if fraction > 0 { remaining = .seconds(saturating: seconds * (1 - fraction) / fraction) }
    }

  }

  /// Progress of work that consists of several runs, each of which reports its own progress.
  final class SharedProgress: Sendable {
    private let start = ContinuousClock.now
    private let inputDuration: Duration
    private let report: @Sendable (Progress) -> Void
    /// The largest fraction that has been reported, 0 … 1.
    private let furthest = Mutex(0.0)

    init(of inputDuration: Duration, _ report: @escaping @Sendable (Progress) -> Void) {
      self.inputDuration = inputDuration
      self.report = report
    }

    var elapsed: Duration { .now - start }

    /// The function with which a run reports its progress. `part` is the run's share of the work.
    /// `repeatsIfClipped`: whether the run will be repeated if samples clip. In that case, the
    /// first run counts as half of the share from the first clipped sample on.
    func run(
      _ part: ClosedRange<Double>, repeatsIfClipped: Bool = false
    ) -> @Sendable (Progress) -> Void {
      { now in
        let length = part.upperBound - part.lowerBound
        let share = now.clips && repeatsIfClipped ? length / 2 : length
        let fraction = self.furthest.withLock { furthest in
          furthest = max(furthest, part.lowerBound + now.fraction * share)
          return furthest
        }
        self.report(
          Progress(
            fraction: fraction, elapsed: .now - self.start, inputDuration: self.inputDuration))
      }
    }
  }

  /// The result of writing a file.
  ///
  /// ```swift
  /// let rendering = try await song.reverse(to: output).finish()
  /// for loss in rendering.losses { print(loss) }
  /// ```
  public struct Rendering: Sendable, Codable {
    /// The new file.
    public var url: URL
    /// Information on the input.
    public var input: AudioInformation
    /// Information on the new file, read from the file itself.
    public var output: AudioInformation
    /// Time that the work took.
    public var elapsed: Duration
    /// The factor that was applied to samples: the effect of ``AudioEdit/gain``,
    /// ``AudioEdit/normalizes`` and ``AudioEdit/guardsPeaks`` together.
    public var amplification: Float
    /// Number of samples that exceeded full scale and were clipped.
    public var clipped: Int64
    /// The properties and contents of the input that the new file could not keep, one sentence for
    /// each loss.
    public var losses: [String]
  }
}
