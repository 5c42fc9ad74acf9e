// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// Whether a file that was reversed again is the original.
  ///
  /// ```swift
  /// let edit = AudioEdit(direction: .reverse)
  /// let rendering = try await song.render(edit, to: output).finish()
  /// let verification = try await song.verify(rendering, of: edit).finish()
  /// print("\(verification.comparison.differing) frames differ")
  /// ```
  public struct Verification: Sendable, Equatable, Codable {
    /// The result of the comparison.
    ///
    /// ```swift
    /// if verification.verdict == .different { print("\(rendering.url.path) is damaged") }
    /// ```
    @nonexhaustive
    public enum Verdict: String, Sendable, Codable {
      /// Every frame is the same.
      case exact
      /// Frames differ by no more than rounding.
      case rounded
      /// Equal except for samples beyond full scale, which the new file cannot hold.
      case clipped
      /// It is not the original.
      case different
    }

    /// The result of the comparison, frame by frame.
    public var comparison: Comparison
    /// The largest difference that rounding explains, where full scale is 1.
    public var tolerance: Double

    /// Whether it is the original.
    public var verdict: Verdict {
      if comparison.isExact { return .exact }
      let isRounding = comparison.surplus == 0 && comparison.largestDifference <= tolerance
      guard isRounding else { return .different }
      return comparison.clipped > 0 ? .clipped : .rounded
    }
  }
}

extension AudioFile {
  /// Reverses again the output of ``render(_:to:settings:)`` for this file, and compares it with
  /// the original; see ``verifyReversal(in:edit:)``.
  ///
  /// A lossy file is compared before its encoder, and so is one of another rate or number of
  /// channels. The original is made louder and clipped as the new file was. Throws if the edit has
  /// effects.
  public func verify(
    _ rendering: Rendering, of edit: AudioEdit
  ) -> Job<Progress, Verification> {
    Job { report in try await verification(of: rendering, edit, report) }
  }

  private func verification(
    of rendering: Rendering, _ edit: AudioEdit, _ report: @escaping @Sendable (Progress) -> Void
  ) async throws -> Verification {
    guard edit.effects.isEmpty else {
      throw error(
        .invalidArgument, "an effect cannot be undone for the comparison; leave it out.")
    }
    let (input, output) = (rendering.input, rendering.output)
    let channels = edit.channels.count(of: input)
    let isComparable =
      !output.isLossy && output.rate == input.rate && output.channels == channels
    let storage =
      isComparable ? Storage(rendering.amplification, in: output.samples) : Storage()
    let comparison = try await compareReversal(
      in: isComparable ? AudioFile(rendering.url) : nil, edit: edit, storage, report)
    let narrowing =
      isComparable ? input.narrowing(to: output, amplification: Double(rendering.amplification)) : 0
    return Verification(
      comparison: comparison, tolerance: max(narrowing, input.isLossy ? 1.0 / 32768 : 0))
  }
}

extension AudioInformation {
  /// The largest error of samples that are stored in fewer bits, dithered: 1.5
  /// steps; 0 if nothing has to be rounded.
  fileprivate func narrowing(to output: AudioInformation, amplification: Double) -> Double {
    let (before, after) = (samples, output.samples)
    let fits =
      after.isFloat ? before.bits <= after.bits : !before.isFloat && before.bits <= after.bits
    if fits, amplification == 1 { return 0 }
    // a float of 32 bits has 24 that count, and larger steps beyond full scale
    let bits = after.isFloat ? 24 : after.bits
    let scale = after.isFloat ? max(amplification, 1) : 1
    return 3 * scale / Double(UInt64(1) << min(bits, 62))
  }
}
