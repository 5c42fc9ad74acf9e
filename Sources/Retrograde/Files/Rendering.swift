// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Synchronization

extension AudioFile {
  /// How far a piece of work has come.
  ///
  /// ```swift
  /// for await progress in song.reverse(to: output).progress {
  ///   print("\(Int(100 * progress.fraction)) %, \(progress.speed) × real time")
  /// }
  /// ```
  public struct Progress: Sendable, Equatable {
    /// 0 … 1.
    public var fraction: Double
    /// Since the work began.
    public var elapsed: Duration
    /// Seconds of the input that are done in a second; 0 before it is known.
    public var speed: Double
    /// nil before it is known.
    public var remaining: Duration?
    /// Whether samples were beyond full scale.
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
    /// 0 … 1; it never decreases.
    private let furthest = Mutex(0.0)

    init(of inputDuration: Duration, _ report: @escaping @Sendable (Progress) -> Void) {
      self.inputDuration = inputDuration
      self.report = report
    }

    /// A run that is this part of all; half as much as soon as it clips, if it is to be done again
    /// then.
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
    /// The file that was written.
    public var url: URL
    /// Information on the input.
    public var input: AudioInformation
    /// The new file's description of itself.
    public var output: AudioInformation
    /// Time that it took.
    public var elapsed: Duration
    /// The factor that samples were multiplied by: ``AudioEdit/gain``, ``AudioEdit/normalizes`` and
    /// ``AudioEdit/guardsPeaks`` together.
    public var amplification: Float
    /// Number of samples that were beyond full scale and had to be clipped.
    public var clipped: Int64
    /// The parts of the input that the new file could not keep, a sentence for each.
    public var losses: [String]
  }
}
