// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The positions that a speed curve passes through. All times and positions are in seconds. A
// position is the integral of the speed, in closed form.

extension SpeedCurve {
  private struct Piece {
    var start: Double
    var duration: Double
    var from, to: Double

    var distance: Double { (from + to) / 2 * duration }

    /// The first time after the start when the position is `distance` away, or nil if it never is.
    func time(after distance: Double) -> Double? {
      let slope = (to - from) / duration
      let root = (from * from + 2 * slope * distance).squareRoot()
      let times = slope == 0 ? [distance / from] : [(root - from) / slope, (-root - from) / slope]
      return times.filter { $0 > 0 && $0 <= duration }.min().map { start + $0 }
    }
  }

  private var pieces: [Piece] {
    var pieces: [Piece] = []
    var before = Point(time: .zero, speed: firstSpeed)
    for point in points where point.time > .zero {
      pieces.append(
        Piece(
          start: before.time.inSeconds, duration: (point.time - before.time).inSeconds,
          from: before.speed, to: point.speed))
      before = point
    }
    return pieces
  }

  private func start(in length: Double) -> Double { firstSpeed < 0 ? length : 0 }

  /// The first time when the position would be more than `slack` outside a sound of `length`, or
  /// nil if that doesn't happen before the last point.
  func exit(from length: Double, slack: Double) -> (time: Double, isPastEnd: Bool)? {
    var position = start(in: length)
    for piece in pieces {
      let below = piece.time(after: -slack - position)
      let above = piece.time(after: length + slack - position)
      if let time = [below, above].compactMap(\.self).min() { return (time, time == above) }
      position += piece.distance
    }
    return nil
  }

  func duration(in length: Double, rate: Int) -> Double {
    let position = pieces.reduce(start(in: length)) { $0 + $1.distance }
    let left = lastSpeed > 0 ? length - position : -position
    return lastSpeed == 0
      ? Double(buffers(rate: rate)) * Self.step(rate: rate)
      : seconds + max(left / lastSpeed, 0)
  }
}

// MARK: - The curve for revbuf

// `revbuf` reads the curve at the end of each buffer, and changes the speed linearly in between. If
// there's a point inside a buffer, it cuts the corner, and we make up for that at the nearest step.

extension SpeedCurve {
  private static let buffersPerSecond = 100

  private static func frames(rate: Int) -> Int { max(rate / buffersPerSecond, 1) }

  private static func step(rate: Int) -> Double {
    Double(frames(rate: rate)) / Double(max(rate, 1))
  }

  /// The buffers up to the last point, and one more for the fade-out.
  func buffers(rate: Int) -> Int {
    let position = seconds / Self.step(rate: rate)
    let isStep = (position - position.rounded()).magnitude < 1e-6
    return Int(saturating: position.rounded()) + (isStep ? 1 : 2)
  }

  /// The speeds at the ends of buffers.
  func knots(rate: Int) -> [Knot] {
    let step = Self.step(rate: rate)
    var speeds = [0: firstSpeed]
    for point in points {
      let nearest = Self.nearest(to: point, step)
      for index in nearest - 1...nearest + 1 { speeds[index] = speed(at: Double(index) * step) }
    }
    for (point, bend) in zip(points, bends) {
      let nearest = Self.nearest(to: point, step)
      let off = (point.time.inSeconds / step - Double(nearest)).magnitude
      // the area between the corner and the cut
      speeds[nearest, default: 0] -= bend * step * off * (1 - off) / 2
    }
    addCrossings(step, to: &speeds)
    let sorted = speeds.sorted { $0.key < $1.key }
    let frames = Self.frames(rate: rate)
    return sorted.indices.map { index in
      let (number, speed) = sorted[index]
      let next = index + 1 < sorted.count ? sorted[index + 1].value : speed
      let before = index > 0 ? sorted[index - 1].value : speed
      return Knot(
        timeNs: Int64(
          saturating: (Double(number * frames) * 1e9 / Double(max(rate, 1))).rounded(.down)),
        value: speed.isUnit && speed != next && speed != before ? speed.nudged : speed)
    }
  }

  private static func nearest(to point: Point, _ step: Double) -> Int {
    max(Int(saturating: (point.time.inSeconds / step).rounded()), 1)
  }

  /// How much the slope changes at each point, per second.
  private var bends: [Double] {
    let slopes = zip(points, points.dropFirst()).map {
      ($1.speed - $0.speed) / ($1.time - $0.time).inSeconds
    }
    let isCut = points.first.map { $0.time > .zero } ?? false
    return zip([0] + slopes, slopes + [0]).enumerated().map { index, pair in
      index == 0 && !isCut ? 0 : pair.1 - pair.0
    }
  }

  private func speed(at time: Double) -> Double {
    guard let next = points.firstIndex(where: { $0.time.inSeconds > time }) else {
      return lastSpeed
    }
    guard next > 0 else { return firstSpeed }
    let (from, to) = (points[next - 1], points[next])
    let share = (time - from.time.inSeconds) / (to.time - from.time).inSeconds
    return from.speed + (to.speed - from.speed) * share
  }

  /// Adds the steps where the speed is only 1 or −1 for a moment. `revbuf` would ramp to a whole
  /// frame there, as if it stayed at that speed.
  private func addCrossings(_ step: Double, to speeds: inout [Int: Double]) {
    for (from, to) in zip(points, points.dropFirst()) where from.speed != to.speed {
      for unit in [-1.0, 1] {
        let share = (unit - from.speed) / (to.speed - from.speed)
        guard share > 0, share < 1 else { continue }
        let position = (from.time.inSeconds + share * (to.time - from.time).inSeconds) / step
        let index = Int(saturating: position.rounded())
        if (position - Double(index)).magnitude < 1e-6, speeds[index] == nil {
          speeds[index] = unit.nudged
        }
      }
    }
  }
}

extension Double {
  fileprivate var isUnit: Bool { self == 1 || self == -1 }
  /// Slightly off, but so close that nobody can hear the difference.
  fileprivate var nudged: Double { self * (1 - 1e-9) }
}
