// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How much the duration changes: new duration / old duration, 0.01 … 100. Values below 1 make the
/// audio shorter and faster.
///
/// ```swift
/// let longer = try ScaleFactor(1.5)
/// let faster = try ScaleFactor(speed: 2)
/// print(faster.value)  // 0.5
/// ```
public struct ScaleFactor: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The allowed factors.
  public static let range = 0.01...100.0
  /// The duration doesn't change.
  public static let one = ScaleFactor(clamping: 1)

  /// New duration / old duration.
  public let value: Double
  /// Old duration / new duration. A speed of 2 is twice as fast.
  public var speed: Double { 1 / value }

  /// Creates a factor. Throws ``RetrogradeError/Code/invalidArgument`` if `value` is outside
  /// ``range``.
  public init(_ value: Double) throws(RetrogradeError) {
    try require(
      Self.range.contains(value),
      "A factor must be from 0.01 to 100 (\(value) is not); choose another.")
    self.value = value
  }

  /// Creates the factor for a speed: 1 / `speed`.
  ///
  /// Throws ``RetrogradeError/Code/invalidArgument`` if `speed` is outside 0.01 … 100.
  public init(speed: Double) throws(RetrogradeError) {
    try require(
      Self.range.contains(speed),
      "A speed must be from 0.01 to 100 (\(speed) is not); choose another.")
    self.init(clamping: 1 / speed)
  }

  /// Creates the nearest factor in ``range``, e.g. for values from a slider. NaN becomes 1.
  public init(clamping value: Double) {
    self.value =
      value.isNaN ? 1 : min(max(value, Self.range.lowerBound), Self.range.upperBound)
  }

  /// The factor as a number: "1.5".
  public var description: String { "\(value)" }

  /// Compares the values. The smaller factor makes audio shorter.
  public static func < (one: ScaleFactor, other: ScaleFactor) -> Bool { one.value < other.value }
}
