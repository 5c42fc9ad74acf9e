// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// Whether reversing a reversed file again restores the original.
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
      /// All frames are equal.
      case exact
      /// Frames differ by no more than rounding.
      case rounded
      /// Equal except for samples beyond full scale, which the new file clips.
      case clipped
      /// Frames differ by more than rounding explains, or their number differs.
      case different
    }

    /// The comparison, frame by frame.
    public var comparison: Comparison
    /// The largest difference that rounding explains; full scale is 1.
    public var tolerance: Double

    /// The result of the comparison in one word.
    public var verdict: Verdict {
      if comparison.isExact { return .exact }
      let isRounding = comparison.surplus == 0 && comparison.largestDifference <= tolerance
      guard isRounding else { return .different }
      return comparison.clipped > 0 ? .clipped : .rounded
    }
  }
}

extension AudioFile {
  /// Reverses the output of ``render(_:to:settings:)`` for this file again, and compares the result
  /// with the original; see ``verifyReversal(in:edit:)``.
  ///
  /// If the new file is lossy or has another rate or number of channels, it is not compared itself:
  /// the sound is reversed twice without being encoded. Otherwise, the gain and the clipping of the
  /// new file are applied to the original first. Throws if the edit has effects.
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
        .invalidArgument,
        "an effect cannot be undone, so the result cannot be verified; leave out the effect.")
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
  /// The largest rounding error of samples that are stored with fewer bits: 1.5 steps with
  /// dithering; 0 if nothing is rounded.
  fileprivate func narrowing(to output: AudioInformation, amplification: Double) -> Double {
    let (before, after) = (samples, output.samples)
    let fits =
      after.isFloat ? before.bits <= after.bits : !before.isFloat && before.bits <= after.bits
    if fits, amplification == 1 { return 0 }
    // a 32-bit float has 24 significant bits, and larger steps beyond full scale
    let bits = after.isFloat ? 24 : after.bits
    let scale = after.isFloat ? max(amplification, 1) : 1
    return 3 * scale / Double(UInt64(1) << min(bits, 62))
  }
}
