// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How many times as long audio becomes: new duration / old duration, 0.01 … 100. Below 1 it
/// is shorter and faster.
///
/// ```swift
/// let longer = try ScaleFactor(1.5)
/// let faster = try ScaleFactor(speed: 2)
/// print(faster.value)  // 0.5
/// ```
public struct ScaleFactor: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The factors that there are.
  public static let range = 0.01...100.0
  /// The duration does not change.
  public static let one = ScaleFactor(clamping: 1)

  /// New duration / old duration.
  public let value: Double
  /// Old duration / new duration: 2 is twice as fast.
  public var speed: Double { 1 / value }

  /// Throws ``RetrogradeError/Code/invalidArgument`` where `value` is out of ``range``.
  public init(_ value: Double) throws(RetrogradeError) {
    guard Self.range.contains(value) else {
      throw RetrogradeError(
        .invalidArgument, "A factor must be from 0.01 to 100 (\(value) is not); choose another.")
    }
    self.value = value
  }

  /// The factor of a speed, 1 / `speed`.
  ///
  /// Throws ``RetrogradeError/Code/invalidArgument`` where `speed` is not from 0.01 to 100.
  public init(speed: Double) throws(RetrogradeError) {
    guard Self.range.contains(speed) else {
      throw RetrogradeError(
        .invalidArgument, "A speed must be from 0.01 to 100 (\(speed) is not); choose another.")
    }
    self.init(clamping: 1 / speed)
  }

  /// The nearest factor in ``range``, as for a slider; 1 for NaN.
  public init(clamping value: Double) {
    self.value =
      value.isNaN ? 1 : min(max(value, Self.range.lowerBound), Self.range.upperBound)
  }

  /// The factor as a number: "1.5".
  public var description: String { "\(value)" }

  /// The shorter one is less.
  public static func < (one: ScaleFactor, other: ScaleFactor) -> Bool { one.value < other.value }
}

extension ScaleFactor: Codable {
  /// A number; throws if it is out of ``range``.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(Double.self))
  }

  /// A number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
