// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Reads a time curve: gives the positions in the input of successive output frames, beginning at
/// frame 0. A position is counted in input frames, and may be between two of them. The next position
/// is the position of the next output frame.
///
/// The curve is a stream of any length, whose factor may change, or fixed endpoints, as chosen on
/// creation. In a stream, output frame k is read at k / factor while the factor is constant.
struct ReadCursor {
  /// The input frame at or before the next position. It never decreases.
  private(set) var index: Int64 = 0
  /// The distance from `index` to the next position: in parts of `steady` while the factor is
  /// constant, otherwise in frames.
  private(set) var weight = 0.0
  /// The steps at the constant factor: the factor now, or after the ramp.
  private(set) var steady: SteadySteps
  /// The ramp, while the factor changes.
  private(set) var ramp: RampSteps?
  /// The positions of fixed endpoints; `nil` for a stream.
  private(set) var endpoints: EndpointSteps?

  /// A stream with a constant factor.
  init(_ factor: Fraction) { steady = SteadySteps(factor) }

  /// Positions that scale a known number of frames to another number.
  init(_ endpoints: EndpointSteps) {
    self.init(Fraction(numerator: 1, denominator: 1))
    go(to: endpoints)
  }

  /// Whether this is a stream with a constant factor.
  @inline(__always)
  var isSteady: Bool { ramp == nil && endpoints == nil }

  /// Whether further output is the input, frame by frame.
  var isIdentity: Bool { isSteady && steady.isUnity && weight == 0 }

  /// The distance from `index` to the next position, in frames, 0 ..< 1.
  var fraction: Double { isSteady ? weight / Double(steady.parts) : weight }

  /// Number of input frames before the next position.
  @inline(__always)
  var framesPassed: Int64 { weight == 0 ? index : index &+ 1 }

  /// The speed at the next position, in input frames per output frame; `nil` if the factor is
  /// fixed.
  var speed: Double? {
    endpoints == nil ? Double(ticks) / Double(RampSteps.ticksPerFrame) : nil
  }

  /// The position from which the factor is constant: the next position, or the end of a ramp.
  var steadyFrom: Double {
    let landed = landed
    return Double(landed.index) + landed.fraction
  }

  /// `weight` of a stream with a constant factor, which is an integer.
  private var part: UInt64 { UInt64(truncatingIfNeeded: timedsp_whole_part(weight)) }

  /// The speed of a stream at the next position, in ticks per output frame.
  private var ticks: UInt64 { ramp?.speed ?? steady.ticks }

  /// The next position of a stream, rounded down to ticks.
  private var position: Wide {
    if let ramp { return ramp.position }
    let ticks = part.multiplied(by: RampSteps.ticksPerFrame, dividedBy: steady.parts)
    return Wide(high: index, low: ticks &<< 9)
  }

  /// This cursor at the end of its ramp.
  private var landed: ReadCursor {
    var landed = self
    guard let ramp else { return landed }
    landed.ramp = nil
    landed.hold(ramp.end)
    return landed
  }
}

// Changes of the factor of a stream. Each function returns `false` if the factor is fixed.
extension ReadCursor {
  /// Changes the factor from the next position on. The position is rounded down, because the new
  /// factor divides a frame into a different number of parts.
  mutating func setFactor(_ factor: Fraction) -> Bool {
    if endpoints != nil { return false }
    let next = SteadySteps(factor)
    let (part, parts) =
      ramp.map { ($0.position.ticks, RampSteps.ticksPerFrame) } ?? (part, steady.parts)
    weight = Double(part.multiplied(by: next.parts, dividedBy: parts))
    (steady, ramp) = (next, nil)
    return true
  }

  /// Changes the factor gradually to `factor`, from the next position on. The change covers
  /// `frames` input frames, at least 1.
  mutating func ramp(to factor: Fraction, within frames: UInt64) -> Bool {
    if endpoints != nil { return false }
    let target = SteadySteps(factor)
    follow(RampSteps(from: position, speed: ticks, to: target, within: frames), to: target)
    return true
  }

  /// Changes the factor gradually to 1 over `steps` output frames, at least 1. The output frame
  /// after these is exactly input frame `frame`.
  mutating func land(on frame: Int64, after steps: UInt64) -> Bool {
    if endpoints != nil { return false }
    follow(
      RampSteps(from: position, speed: ticks, landingOn: frame, after: steps),
      to: SteadySteps(Fraction(numerator: 1, denominator: 1)))
    return true
  }

  private mutating func follow(_ ramp: RampSteps, to target: SteadySteps) {
    steady = target
    go(to: ramp)
  }

  /// This cursor at the end of its ramp, after the position of `last`.
  func landed(after last: RampSteps) -> ReadCursor {
    var next = landed
    // rounding may have put the last position after the end
    if next.position.precedes(last.position) { next.hold(last.position) }
    return next
  }

  /// Continues at `position`, rounded down to a multiple of 1 / `steady.parts` frames.
  private mutating func hold(_ position: Wide) {
    index = position.high
    weight = Double(
      position.ticks.multiplied(by: steady.parts, dividedBy: RampSteps.ticksPerFrame))
  }

  /// Continues at the next position of `ramp`.
  mutating func go(to ramp: RampSteps) {
    (index, weight, self.ramp) = (ramp.position.high, ramp.position.fraction, ramp)
  }

  /// Continues at the next position of `endpoints`.
  mutating func go(to endpoints: EndpointSteps) {
    (index, weight) = (endpoints.index, endpoints.weight)
    self.endpoints = endpoints
  }

  /// Continues at the position `weight` parts after frame `index`, at a constant factor.
  mutating func go(to index: Int64, _ weight: Double) {
    (self.index, self.weight) = (index, weight)
  }
}

extension ReadCursor {
  /// Advances by `frames` frames, which the caller outputs unmodified. Returns `false`, and does
  /// nothing, if the output would differ from the input, or if not all of the `received` frames
  /// have been output.
  mutating func pass(_ frames: Int, after received: Int64) -> Bool {
    guard isIdentity, index == received else { return false }
    index &+= Int64(truncatingIfNeeded: frames)
    return true
  }

  /// Records that the input ended after `received` frames.
  mutating func endInput(after received: Int64) {
    guard var endpoints else { return }
    endpoints.endInput(after: received)
    go(to: endpoints)
  }

  /// Returns to the first position, with a constant factor.
  mutating func reset() {
    (index, weight, ramp) = (0, 0, nil)
    if let endpoints { go(to: endpoints.restarted) }
  }
}

// What a scaler has to know of the next positions.
extension ReadCursor {
  /// The properties of the next positions that the interpolation needs.
  @inline(__always)
  var reading: Reading {
    if let ramp { return Reading(scale: RampSteps.scale(ramp.factor), isMoving: true) }
    return endpoints?.reading ?? steady.reading(at: part)
  }

  /// The smallest kernel scale (`Reading.scale`) of the next positions, until the factor is set
  /// again.
  private var minScale: Double { min(ramp.map { RampSteps.scale($0.factor) } ?? 1, steady.scale) }

  /// The widest window of the next positions, until the factor is set again.
  func widestWindow(_ reach: Reach) -> Window {
    ramp == nil ? reach.window(reading) : reach.window(scale: minScale)
  }

  /// The smallest kernel scale of any position, at any factor.
  var minScaleEver: Double { endpoints?.reading.scale ?? TIMEDSP_MIN_FACTOR }

  /// Number of frames to keep before and after a position, so that a scaler with any other
  /// interpolation can continue there at the current factor.
  var past: Int { past(scale: minScale) }

  /// The same as `past`, at kernel scales from `scale` on.
  func past(scale: Double) -> Int {
    endpoints == nil ? SincQuality.longestHalf(scale: scale) : 0
  }

  /// How many of `frames` new input frames belong to the stream: with fixed endpoints, frames after
  /// the last expected frame are ignored. `received` is the number of input frames before the new
  /// frames.
  func accepted(_ frames: Int, after received: Int64) -> Int {
    guard let endpoints else { return frames }
    let open = endpoints.count &- received
    return Int64(truncatingIfNeeded: frames) <= open ? frames : Int(truncatingIfNeeded: open)
  }

  /// Number of output frames still to come if the input ends after `arrived` frames. During a ramp,
  /// this is an upper bound.
  func framesDue(arrived: Int64) -> UInt64 {
    if let endpoints { return endpoints.remaining }
    guard framesPassed <= arrived else { return 0 }
    let rampDue = ramp?.maxDue(arrived: arrived) ?? 0
    let landed = landed
    guard landed.framesPassed <= arrived, ramp == nil || landed.index < arrived else {
      return rampDue
    }
    return rampDue
      &+ landed.steady.count(
        from: landed.part, within: UInt64(truncatingIfNeeded: arrived &- landed.index))
  }
}
