// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Maps times in a sound to times in the output. You can use it to line its beats up with another
/// sound, or its words with a video.
///
/// ```swift
/// var edit = AudioEdit(pitch: .kept)
/// edit.timeMap = try TimeMap([
///   TimeMap.Point(input: .seconds(4), output: .seconds(5)),
///   TimeMap.Point(input: .seconds(8), output: .seconds(8)),
/// ])
/// ```
///
/// The beginning of the sound stays at 0. Between two points the speed is constant. After the last
/// point it follows ``AudioEdit/factor``. Around each point, the speed changes within 10 ms.
public struct TimeMap: Sendable, Equatable {
  /// A time in the input, and where it ends up in the output.
  ///
  /// ```swift
  /// let point = TimeMap.Point(input: .seconds(4), output: .milliseconds(4_500))
  /// ```
  public struct Point: Sendable, Equatable, Codable {
    /// Time since the beginning of the input.
    public var input: Duration
    /// Time since the beginning of the output.
    public var output: Duration

    /// Creates a point. Both times must be above 0.
    public init(input: Duration, output: Duration) {
      (self.input, self.output) = (input, output)
    }
  }

  /// The points in ascending order.
  public let points: [Point]

  /// For the first point, the distance from the beginning.
  private static let minGap = Duration.milliseconds(20)

  /// Creates a time map. Both times must increase from each point to the next: the input time by at
  /// least 20 ms, and the output time by 0.01 to 100 times as much. Throws
  /// ``RetrogradeError/Code/invalidArgument`` otherwise, or if `points` is empty.
  public init(_ points: [Point]) throws(RetrogradeError) {
    var before = Point(input: .zero, output: .zero)
    for (index, point) in points.enumerated() {
      try Self.check(point, after: before, number: index + 1)
      before = point
    }
    try require(!points.isEmpty, "The time map has no points; add one.")
    self.points = points
  }

  private static func check(
    _ point: Point, after before: Point, number: Int
  ) throws(RetrogradeError) {
    try require(
      point.input - before.input >= minGap,
      "In the input, point \(number) of the time map is less than 20 ms after "
        + "\(Self.previous(to: number)); leave it out, or put the points in order.")
    try require(
      (0.01...100).contains((point.output - before.output) / (point.input - before.input)),
      "Between \(Self.previous(to: number)) and point \(number) of the time map, the factor would "
        + "not be from 0.01 to 100; choose another time.")
  }

  /// What error messages call the point before point `number`.
  private static func previous(to number: Int) -> String {
    number == 1 ? "the start" : "point \(number - 1)"
  }
}

extension TimeMap {
  /// The output time for an input time. `factor` applies after the last point.
  func output(of moment: Duration, factor: ScaleFactor) -> Duration {
    var before = Point(input: .zero, output: .zero)
    for point in points {
      if moment <= point.input {
        let share = (moment - before.input) / (point.input - before.input)
        return before.output + (point.output - before.output) * share
      }
      before = point
    }
    return before.output + (moment - before.input).scaled(by: factor)
  }
}
