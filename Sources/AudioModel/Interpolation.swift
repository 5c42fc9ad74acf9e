// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How to compute values between two frames.
///
/// y0 is the frame before the position, and y1 is the frame after it. a is the distance of the
/// position from y0, in [0, 1).
///
/// ```swift
/// var edit = AudioEdit(factor: try ScaleFactor(1.5))
/// edit.interpolation = .linear
/// ```
@nonexhaustive
public enum Interpolation: Sendable, Hashable {
  /// y0 if a < 1/2, else y1.
  case nearest
  /// y0 + a × (y1 - y0).
  case linear
  /// Linear in a² × (3 - 2 × a) if the output is longer than the input, otherwise linear in a.
  case smooth
  /// Lagrange's third-degree polynomial through four frames.
  case cubic
  /// Band-limited: a windowed sinc over 8 to 136 frames on either side of the position, for
  /// qualities 0 … 10. If the audio gets shorter, the filter removes frequencies that the output
  /// can't represent.
  case sinc(quality: Int)

  /// The default. Aliases are at least 114 dB below full scale, and 95 % of the band is preserved.
  public static let sinc = Interpolation.sinc(quality: 6)

  /// The name in the elements' properties and the tool's options, e.g. "nearest" or "sinc".
  public var name: String {
    switch self {
    case .nearest: "nearest"
    case .linear: "linear"
    case .smooth: "smooth"
    case .cubic: "cubic"
    case .sinc: "sinc"
    }
  }

  /// 6 if the case doesn't have a quality.
  package var quality: Int { if case .sinc(let quality) = self { quality } else { 6 } }
}

extension Interpolation: CaseIterable {
  /// One of each kind. The last one is sinc.
  public static let allCases = [Interpolation.nearest, .linear, .smooth, .cubic, .sinc]
}
