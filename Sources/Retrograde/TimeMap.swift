// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Output times for moments of a sound: its beats on those of another one, its words on a film.
///
/// ```swift
/// var edit = AudioEdit(pitch: .kept)
/// edit.timeMap = try TimeMap([
///   TimeMap.Point(input: .seconds(4), output: .seconds(5)),
///   TimeMap.Point(input: .seconds(8), output: .seconds(8)),
/// ])
/// ```
///
/// The sound begins at 0. Between two points the speed is constant, and after the last point it
/// follows ``AudioEdit/factor``. The speed takes 10 ms to change, around each point.
public struct TimeMap: Sendable, Equatable {
  /// A moment of the input, and its time in the output.
  ///
  /// ```swift
  /// let point = TimeMap.Point(input: .seconds(4), output: .milliseconds(4_500))
  /// ```
  public struct Point: Sendable, Equatable, Codable {
    /// From the beginning of the input.
    public var input: Duration
    /// From the beginning of the output.
    public var output: Duration

    /// Both are above 0.
    public init(input: Duration, output: Duration) {
      (self.input, self.output) = (input, output)
    }
  }

  /// In the order of their times.
  public let points: [Point]

  /// Least distance of two points in the input, and of the first one from its beginning.
  private static let leastGap = Duration.milliseconds(20)

  /// Both times rise from one point to the next, by 20 ms of the input at least and 0.01 to 100
  /// times as much of the output. Throws ``RetrogradeError/Code/invalidArgument`` if they do not,
  /// and if there is no point.
  public init(_ points: [Point]) throws(RetrogradeError) {
    var before = Point(input: .zero, output: .zero)
    for (index, point) in points.enumerated() {
      try Self.check(point, behind: before, number: index + 1)
      before = point
    }
    guard !points.isEmpty else {
      throw RetrogradeError(.invalidArgument, "A time map has no point; give it one.")
    }
    self.points = points
  }

  private static func check(
    _ point: Point, behind before: Point, number: Int
  ) throws(RetrogradeError) {
    guard point.input - before.input >= leastGap else {
      throw RetrogradeError(
        .invalidArgument,
        "Point \(number) of the time map is less than 20 ms of the input after the one before; "
          + "leave it out, or put the points in order.")
    }
    guard (0.01...100).contains((point.output - before.output) / (point.input - before.input))
    else {
      throw RetrogradeError(
        .invalidArgument,
        "Up to point \(number) of the time map the factor would not be from 0.01 to 100; "
          + "choose another time.")
    }
  }
}

extension TimeMap {
  /// Output time of a moment of the input; `factor` holds after the last point.
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
