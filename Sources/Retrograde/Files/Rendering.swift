// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Synchronization

extension AudioFile {
  /// Progress of work on a file.
  ///
  /// ```swift
  /// try await song.reverse(to: output) { progress in
  ///   print("\(Int(100 * progress.fraction)) %, \(progress.speed) × real time")
  /// }
  /// ```
  public struct Progress: Sendable, Equatable {
    /// The share that's done, 0 … 1.
    public var fraction: Double
    /// Time since the start of the work.
    public var elapsed: Duration
    /// Seconds of input that we process per second. It's 0 until we know it.
    public var speed: Double
    /// Estimated remaining time. It's nil until we know it.
    public var remaining: Duration?
    /// True if samples exceed full scale.
    var clips = false

    init(fraction: Double, elapsed: Duration, inputDuration: Duration) {
      self.fraction = fraction
      self.elapsed = elapsed
      let seconds = elapsed.inSeconds
      speed = seconds > 0 ? fraction * inputDuration.inSeconds / seconds : 0
      if fraction > 0 { remaining = .seconds(saturating: seconds * (1 - fraction) / fraction) }
    }

  }

  /// Progress of work that consists of several parts, each of which reports its own.
  final class SharedProgress: Sendable {
    private let start = ContinuousClock.now
    private let inputDuration: Duration
    private let report: @Sendable (Progress) -> Void
    /// The largest fraction that anyone has reported, 0 … 1.
    private let furthest = Mutex(0.0)

    init(of inputDuration: Duration, _ report: @escaping @Sendable (Progress) -> Void) {
      self.inputDuration = inputDuration
      self.report = report
    }

    var elapsed: Duration { .now - start }

    /// The function with which one part reports its progress. `part` is its share of the work. If
    /// `repeatsIfClipped` and samples clip, the part will be repeated. From the first clipped
    /// sample on, it then counts as half of its share.
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
  /// let rendering = try await song.reverse(to: output)
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
    /// The factor that was applied to samples. It's the effect of ``AudioEdit/gain``,
    /// ``AudioEdit/normalizes`` and ``AudioEdit/Peaks/guarded`` together.
    public var amplification: Float
    /// Number of samples that exceeded full scale and were clipped.
    public var clipped: Int64
    /// What the new file couldn't keep of the input. The description of a loss is a sentence for the
    /// user.
    public var losses: [Loss]
  }
}
