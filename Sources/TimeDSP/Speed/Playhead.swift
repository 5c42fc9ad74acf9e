// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The position of a `SpeedReader` in its source, and how it moves from one output frame to the
/// next.
///
/// A move of N output frames goes from position p and speed v to position q and speed w. With
/// u = n / N and the mean speed d = (q - p) / N, output frame n is at
///
///     position (n) = p + n × (v + u × (b + u × c)),   b = 3 × d - 2 × v - w
///     speed (n) = v + u × (2 × b + 3 × u × c),        c = v + w - 2 × d
///
/// This is the Hermite cubic with these ends and these speeds at its ends. After frame N, the
/// position is q + (n - N) × w (`SettledSpeed`). That makes a change of speed and a change of
/// position the same kind of move:
///
/// - A ramp has d = (v + w) / 2, so c is 0, and the speed changes linearly.
/// - A ramp to speed 1 or -1 must end on a whole frame, because we copy frames after that. That's
///   why we round its q. The cubic spreads the difference of at most half a frame over the ramp,
///   and changes the speed by at most 0.75 / N.
/// - For a scrub, q is given.
///
/// All values are in 64.64 fixed point. u and each product are rounded to 2^-64, so a position is
/// within N × 2^-58 frames of the formula, or 2^-26 frames for the longest move. Errors don't add
/// up, because we compute each position from n alone.
struct Playhead: BitwiseCopyable {
  static let maxSpeed = 8.0
  /// In output frames.
  static let longestMove: UInt64 = 0xFFFF_FFFF
  /// The shortest ramp to speed 1 or -1, in output frames. Any shorter, and the speed would be off
  /// by more than 1.2 %.
  private static let shortestLanding: UInt64 = 64

  /// p.
  private let start: Wide
  /// v, b and c.
  private let first, second, third: Wide
  /// N, or 0 if the speed is constant.
  private let length: UInt64
  /// 2^64 / N.
  private let partsPerFrame: Wide
  /// q.
  private let end: Wide
  /// w.
  let settled: SettledSpeed
  /// How many output frames ago the move began: n of the next output frame.
  private var passed: UInt64 = 0

  init(at position: Wide, speed: Wide) { self.init(at: position, SettledSpeed(speed)) }

  private init(at position: Wide, _ settled: SettledSpeed) {
    (start, end, length) = (position, position, 0)
    (first, self.settled) = (settled.speed, settled)
    (second, third, partsPerFrame) = (.zero, .zero, .zero)
  }

  /// `length` is in output frames, at least 1. `mean` is d.
  private init(
    from start: Wide, _ speed: Wide, to end: Wide, _ finalSpeed: Wide, mean: Wide, _ length: UInt64
  ) {
    (self.start, self.end, self.length) = (start, end, length)
    (first, settled) = (speed, SettledSpeed(finalSpeed))
    second = mean.times(3).subtracting(speed.times(2)).subtracting(finalSpeed)
    third = speed.adding(finalSpeed).subtracting(mean.times(2))
    partsPerFrame = length > 1 ? Wide(partsOf: length) : .zero
  }

  /// At the output frame `ahead` frames after the next one.
  func position(_ ahead: UInt64 = 0) -> Wide {
    let frame = passed &+ ahead
    if frame >= length { return end.adding(settled.distance(frame &- length)) }
    let part = part(frame)
    let bend = second.adding(third.times(part: part)).times(part: part)
    return start.adding(first.adding(bend).times(frame))
  }

  /// At the output frame `ahead` frames after the next one.
  func speed(_ ahead: UInt64 = 0) -> Wide {
    let frame = passed &+ ahead
    if frame >= length { return finalSpeed }
    let part = part(frame)
    let bend = second.times(2).adding(third.times(3).times(part: part)).times(part: part)
    return first.adding(bend)
  }

  /// The u of an output frame, in units of 2^-64.
  private func part(_ frame: UInt64) -> UInt64 {
    UInt64(truncatingIfNeeded: partsPerFrame.times(frame).high)
  }

  /// How many output frames are left in the move, or 0 if the speed is settled.
  var framesLeft: UInt64 { isSettled ? 0 : length &- passed }

  var isSettled: Bool { length == 0 }

  /// w.
  var finalSpeed: Wide { settled.speed }

  /// The fraction that all positions at a settled speed have in common, in units of one of its
  /// phases.
  var phaseOffset: Double { end.times(settled.phases).fraction }

  /// Advances by `count` output frames, at most `framesLeft` unless the speed is settled.
  mutating func advance(_ count: UInt64) {
    passed &+= count
    if length > 0, passed >= length { self = Playhead(at: end, settled) }
  }
}

extension Playhead {
  /// Changes the speed linearly to `speed` over the next `frames` output frames. Does nothing if it
  /// has already settled at that speed.
  func ramp(to speed: Wide, within frames: UInt64) -> Playhead {
    if isSettled, speed == finalSpeed { return self }
    let (start, now) = (position(), self.speed())
    let lands = speed.isUnit
    if frames == 0, !lands || start.low == 0 { return Playhead(at: start, speed: speed) }
    let length = lands ? max(frames, Self.shortestLanding) : frames
    let mean = now.adding(speed).halved
    let end = start.adding(mean.times(length))
    guard lands else {
      return Playhead(from: start, now, to: end, speed, mean: mean, length)
    }
    let whole = Wide(high: end.adding(Wide(high: 0, low: 1 &<< 63)).high, low: 0)
    let distance = whole.subtracting(start).divided(by: length)
    return Playhead(from: start, now, to: whole, speed, mean: distance, length)
  }

  /// Moves to input frame `frame` in `frames` output frames, and arrives there at `speed`. It takes
  /// longer if it would otherwise be faster than `maxSpeed`. `nil` if it would take longer than the
  /// longest move.
  func scrub(to frame: Int64, within frames: UInt64, _ speed: Wide) -> Playhead? {
    let (start, now, end) = (position(), self.speed(), Wide(high: frame, low: 0))
    let distance = end.subtracting(start)
    var length = max(frames, 1)
    while Self.isTooFast(from: now.value, to: speed.value, distance: distance.value, Double(length))
    {
      length &+= length / 4 &+ 1
    }
    guard length <= Self.longestMove else { return nil }
    return Playhead(from: start, now, to: end, speed, mean: distance.divided(by: length), length)
  }

  /// True if the speed exceeds `maxSpeed` somewhere between the ends of a move that covers
  /// `distance` input frames in `length` output frames. It's false for moves that are too long.
  private static func isTooFast(
    from start: Double, to end: Double, distance: Double, _ length: Double
  ) -> Bool {
    guard length <= Double(longestMove) else { return false }
    let mean = distance / length
    let bend = 3 * mean - 2 * start - end
    let twist = 3 * (start + end - 2 * mean)
    // the speed is start + 2 × bend × u + twist × u², with an extreme at u = -bend / twist
    guard bend * twist < 0, bend.magnitude < twist.magnitude else { return false }
    return (start - bend * bend / twist).magnitude > maxSpeed
  }
}

extension Wide {
  static var zero: Wide { Wide(high: 0, low: 0) }

  var isUnit: Bool { low == 0 && (high == 1 || high == -1) }
}

/// A speed that doesn't change.
///
/// As with a factor of `timescale`, we take a speed as the simplest fraction that converts to the
/// same `Double`, if its denominator is small: 1.3 is 13/10. That way, positions don't drift away
/// from this fraction. Their phases repeat after as many frames as the denominator, so each phase
/// can have its own kernel (`SincBank`).
struct SettledSpeed: BitwiseCopyable {
  let speed: Wide
  /// The denominator of the fraction, or 0 if it isn't small, or if we're at rest.
  let phases: UInt64
  /// |speed| × `phases`, or 0 if `speed` itself is exact.
  private let numerator: UInt64
  /// 2^64 / `phases`.
  private let partsPerPhase: Wide

  private static let maxPhases: UInt64 = 4096

  init(_ speed: Wide) {
    self.speed = speed
    let places = speed.low == 0 ? 0 : 64 &- speed.low.trailingZeroBitCount
    if places <= 12 {
      phases = speed == .zero ? 0 : 1 &<< UInt64(truncatingIfNeeded: places)
      (numerator, partsPerPhase) = (0, .zero)
    } else if let fraction = Fraction(factor: speed.value.magnitude),
      fraction.denominator <= Self.maxPhases
    {
      (phases, numerator) = (fraction.denominator, fraction.numerator)
      partsPerPhase = Wide(partsOf: fraction.denominator)
    } else {
      (phases, numerator, partsPerPhase) = (0, 0, .zero)
    }
  }

  /// The distance covered in `frames` output frames. We round fractions of a frame up, by less than
  /// 2^-62. If we rounded down, a position on a whole frame could end up in the last phase before
  /// it.
  func distance(_ frames: UInt64) -> Wide {
    if numerator == 0 { return speed.times(frames) }
    let whole = frames.multiplied(by: numerator, dividedBy: phases)
    let rest = (frames &* numerator) &- (whole &* phases)
    let part = UInt64(truncatingIfNeeded: partsPerPhase.times(rest).high)
    let distance = Wide(high: Int64(truncatingIfNeeded: whole), low: part)
    if speed.high < 0 { return distance.negated }
    return rest == 0 ? distance : distance.adding(Wide(high: 0, low: 2))
  }
}

extension Wide {
  /// 2^64 / `count`, for a `count` of at least 2.
  init(partsOf count: UInt64) {
    let whole = count.dividing(high: 1, low: 0)
    let low = count.dividing(high: 0 &- whole &* count, low: 0)
    self.init(high: Int64(truncatingIfNeeded: whole), low: low)
  }
}
