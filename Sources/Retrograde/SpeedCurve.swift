// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A speed that changes over the output, for example for a tape stop, a spin-back or a scratch. It
/// can pass through zero. The pitch follows the speed, as on a tape.
///
/// ```swift
/// var edit = AudioEdit()
/// edit.speedCurve = try SpeedCurve([
///   SpeedCurve.Point(time: .seconds(5), speed: 1),
///   SpeedCurve.Point(time: .seconds(5.5), speed: -6),
///   SpeedCurve.Point(time: .seconds(6.5), speed: 0),
/// ])
/// ```
///
/// The speed changes linearly from one point to the next. The first speed also applies before the
/// first point. After the last point, the last speed applies up to the end of the file, or back to
/// its beginning. If the last speed is 0, the sound fades out in 10 ms and the output ends.
///
/// The curve starts at the beginning of the file or of the ``AudioEdit/region``, or at the end if
/// the first speed is negative. The speed changes in steps of about 10 ms, and the time of each point
/// is rounded to one of them. While the speed stays at 1 or −1 we copy frames, so the curve reaches
/// those speeds on a whole frame.
public struct SpeedCurve: Sendable, Equatable {
  /// The speed at a given time of the output.
  ///
  /// ```swift
  /// let backwards = SpeedCurve.Point(time: .seconds(5.5), speed: -6)
  /// ```
  public struct Point: Sendable, Equatable, Codable {
    /// Time since the beginning of the output, 0 or more.
    public var time: Duration
    /// Input frames per output frame, −8 … 8. Negative values play backwards.
    public var speed: Double

    /// Creates a point.
    public init(time: Duration, speed: Double) { (self.time, self.speed) = (time, speed) }
  }

  /// The points in ascending order.
  public let points: [Point]

  private static let minGap = Duration.milliseconds(20)
  /// With lower speeds, the rest would be silent.
  private static let minLast = 0.01

  /// Creates a curve. Each point must be at least 20 ms after the previous one. The last speed must
  /// be 0, or at least 0.01 in either direction. Throws ``RetrogradeError/Code/invalidArgument``
  /// otherwise, or if `points` is empty.
  public init(_ points: [Point]) throws(RetrogradeError) {
    guard let first = points.first, let last = points.last, first.time >= .zero else {
      throw RetrogradeError.invalid("A speed curve needs a point, at 0 s or later; add one.")
    }
    for (index, point) in points.enumerated() {
      try require(
        point.speed.magnitude <= 8,
        "A speed must be from -8 to 8 (\(point.speed) is not); choose another.")
      try require(
        index == 0 || point.time - points[index - 1].time >= Self.minGap,
        "Point \(index + 1) of the speed curve is less than 20 ms after point \(index); leave it "
          + "out, or put the points in order.")
    }
    try require(
      last.speed == 0 || last.speed.magnitude >= Self.minLast,
      "The speed curve ends at a speed of \(last.speed), which is too slow to be heard; end it at "
        + "0, or at 0.01 or more.")
    self.points = points
  }

  var firstSpeed: Double { points.first?.speed ?? 1 }
  var lastSpeed: Double { points.last?.speed ?? 1 }
}
