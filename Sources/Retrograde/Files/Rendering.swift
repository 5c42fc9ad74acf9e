// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials

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

    init(fraction: Double, elapsed: Duration, inputDuration: Duration) {
      self.fraction = fraction
      self.elapsed = elapsed
      let seconds = elapsed.inSeconds
      speed = seconds > 0 ? fraction * inputDuration.inSeconds / seconds : 0
      if fraction > 0 { remaining = .seconds(saturating: seconds * (1 - fraction) / fraction) }
    }

    /// The same where the work is a part of more, which began at `start`.
    func asPart(
      _ part: ClosedRange<Double>, since start: ContinuousClock.Instant, of inputDuration: Duration
    ) -> Progress {
      Progress(
        fraction: part.lowerBound + fraction * (part.upperBound - part.lowerBound),
        elapsed: .now - start, inputDuration: inputDuration)
    }
  }

  /// What came of a piece of work.
  ///
  /// ```swift
  /// let rendering = try await song.reverse(to: output).finish()
  /// for loss in rendering.losses { print(loss) }
  /// ```
  public struct Rendering: Sendable, Codable {
    /// The file that was written.
    public var url: URL
    /// What was read.
    public var input: AudioInformation
    /// What the new file says about itself.
    public var output: AudioInformation
    /// How long it took.
    public var elapsed: Duration
    /// By what samples were multiplied: ``AudioEdit/gain`` and ``AudioEdit/normalizes`` together.
    public var amplification: Float
    /// How many samples were beyond full scale and had to be clipped.
    public var clipped: Int64
    /// What the new file could not keep of the input, a sentence for each.
    public var losses: [String]
  }
}
