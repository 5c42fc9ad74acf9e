// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The positions that a speed curve passes through, in seconds: the integral of the speed, in closed
// form. `revbuf` reads the curve at the end of each buffer and changes the speed linearly in between.
// So we move each point to the nearest of these moments.

extension SpeedCurve {
  private static let buffersPerSecond = 100

  private static func frames(rate: Int) -> Int { max(rate / buffersPerSecond, 1) }

  private static func step(rate: Int) -> Double {
    Double(frames(rate: rate)) / Double(max(rate, 1))
  }

  /// The points, with their times in buffers. The first one is at 0.
  private func corners(rate: Int) -> [(buffer: Int, speed: Double)] {
    let corners = points.map { point in
      let position = point.time.inSeconds / Self.step(rate: rate)
      return (Int(saturating: position.rounded()), point.speed)
    }
    return (corners.first?.0 == 0 ? [] : [(0, firstSpeed)]) + corners
  }

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

  private func pieces(rate: Int) -> [Piece] {
    let (corners, step) = (corners(rate: rate), Self.step(rate: rate))
    return zip(corners, corners.dropFirst()).map { from, to in
      Piece(
        start: Double(from.buffer) * step, duration: Double(to.buffer - from.buffer) * step,
        from: from.speed, to: to.speed)
    }
  }

  private func start(in length: Double) -> Double { firstSpeed < 0 ? length : 0 }

  /// The first time when the position would be more than a frame outside a sound of `length`, or nil
  /// if that doesn't happen before the last point.
  func exit(from length: Double, rate: Int) -> (time: Double, isPastEnd: Bool)? {
    let frame = 1 / Double(max(rate, 1))
    var position = start(in: length)
    for piece in pieces(rate: rate) {
      let below = piece.time(after: -frame - position)
      let above = piece.time(after: length + frame - position)
      if let time = [below, above].compactMap(\.self).min() { return (time, time == above) }
      position += piece.distance
    }
    return nil
  }

  func duration(in length: Double, rate: Int) -> Double {
    let (pieces, step) = (pieces(rate: rate), Self.step(rate: rate))
    if lastSpeed == 0 { return Double(buffers(rate: rate)) * step }
    let position = pieces.reduce(start(in: length)) { $0 + $1.distance }
    let left = lastSpeed > 0 ? length - position : -position
    return pieces.reduce(0) { $0 + $1.duration } + max(left / lastSpeed, 0)
  }

  /// The buffers up to the last point, and one more for the fade-out.
  func buffers(rate: Int) -> Int { (corners(rate: rate).last?.buffer ?? 0) + 1 }

  /// The speeds at the ends of buffers. `revbuf` would stay at a speed of 1 or −1 until the next whole
  /// frame, so a speed that's only passed is slightly off.
  func knots(rate: Int) -> [Knot] {
    let corners = corners(rate: rate)
    return corners.indices.map { index in
      let (buffer, speed) = corners[index]
      let frames = Double(buffer * Self.frames(rate: rate))
      let isPassed = [index - 1, index + 1].allSatisfy {
        corners.indices.contains($0) && corners[$0].speed != speed
      }
      return Knot(
        timeNs: Int64(saturating: (frames * 1e9 / Double(max(rate, 1))).rounded(.down)),
        value: isPassed && speed.magnitude == 1 ? speed * (1 - 1e-9) : speed)
    }
  }
}
