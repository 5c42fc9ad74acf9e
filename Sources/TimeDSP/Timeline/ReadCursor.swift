// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Tells you where in the input each output frame is read, from frame 0 on. A position is in input
/// frames, and may be between two of them. The next position is that of the next output frame.
///
/// On creation, you choose: a stream of any length, whose factor may change, or fixed endpoints.
/// While a stream's factor is constant, output frame k is read at k / factor.
struct ReadCursor {
  /// At or before the next position. It never decreases.
  private(set) var index: Int64 = 0
  /// From `index` to the next position. While the factor is constant, it's in parts of `steady`,
  /// otherwise in frames.
  private(set) var weight = 0.0
  /// At the factor now, or after the ramp.
  private(set) var steady: SteadySteps
  private(set) var ramp: RampSteps?
  private(set) var endpoints: EndpointSteps?

  init(_ factor: Fraction) { steady = SteadySteps(factor) }

  init(_ endpoints: EndpointSteps) {
    self.init(Fraction(numerator: 1, denominator: 1))
    go(to: endpoints)
  }

  @inline(__always)
  var isSteady: Bool { ramp == nil && endpoints == nil }

  /// From now on, each input frame is an output frame.
  var isIdentity: Bool { isSteady && steady.isUnity && weight == 0 }

  /// From `index` to the next position, in frames, 0 ..< 1.
  var fraction: Double { isSteady ? weight / Double(steady.parts) : weight }

  /// Input frames before the next position.
  @inline(__always)
  var framesPassed: Int64 { weight == 0 ? index : index &+ 1 }

  /// At the next position, in input frames per output frame. `nil` if the factor is fixed.
  var speed: Double? {
    endpoints == nil ? Double(ticks) / Double(RampSteps.ticksPerFrame) : nil
  }

  /// The next position, or the end of the ramp.
  var steadyFrom: Double {
    let landed = landed
    return Double(landed.index) + landed.fraction
  }

  /// `weight` of a stream with a constant factor. That's an integer.
  private var part: UInt64 { UInt64(truncatingIfNeeded: timedsp_whole_part(weight)) }

  /// A stream's speed at the next position, in ticks per output frame.
  private var ticks: UInt64 { ramp?.speed ?? steady.ticks }

  /// The next position of a stream, rounded down to ticks.
  private var position: Wide {
    if let ramp { return ramp.position }
    let ticks = part.multiplied(by: RampSteps.ticksPerFrame, dividedBy: steady.parts)
    return Wide(high: index, low: ticks &<< 9)
  }

  private var landed: ReadCursor {
    var landed = self
    guard let ramp else { return landed }
    landed.ramp = nil
    landed.hold(ramp.end)
    return landed
  }
}

// Changes of a stream's factor. If the factor is fixed, these return `false`.
extension ReadCursor {
  /// From the next position on. We round that down, because the new factor has other parts of a
  /// frame.
  mutating func setFactor(_ factor: Fraction) -> Bool {
    if endpoints != nil { return false }
    let next = SteadySteps(factor)
    let (part, parts) =
      ramp.map { ($0.position.ticks, RampSteps.ticksPerFrame) } ?? (part, steady.parts)
    weight = Double(part.multiplied(by: next.parts, dividedBy: parts))
    (steady, ramp) = (next, nil)
    return true
  }

  /// From the next position on, within `frames` input frames, at least 1.
  mutating func ramp(to factor: Fraction, within frames: UInt64) -> Bool {
    if endpoints != nil { return false }
    let target = SteadySteps(factor)
    follow(RampSteps(from: position, speed: ticks, to: target, within: frames), to: target)
    return true
  }

  /// Changes the factor gradually to 1 over `steps` output frames, at least 1. The next one is
  /// exactly input frame `frame`.
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

  /// At the end of its ramp, after the position of `last`.
  func landed(after last: RampSteps) -> ReadCursor {
    var next = landed
    // rounding may have put the last position after the end
    if next.position.precedes(last.position) { next.hold(last.position) }
    return next
  }

  /// Rounded down to a multiple of 1 / `steady.parts` frames.
  private mutating func hold(_ position: Wide) {
    index = position.high
    weight = Double(
      position.ticks.multiplied(by: steady.parts, dividedBy: RampSteps.ticksPerFrame))
  }

  mutating func go(to ramp: RampSteps) {
    (index, weight, self.ramp) = (ramp.position.high, ramp.position.fraction, ramp)
  }

  mutating func go(to endpoints: EndpointSteps) {
    (index, weight) = (endpoints.index, endpoints.weight)
    self.endpoints = endpoints
  }

  /// `weight` is in parts, at a constant factor.
  mutating func go(to index: Int64, _ weight: Double) {
    (self.index, self.weight) = (index, weight)
  }
}

extension ReadCursor {
  /// You output `frames` frames unmodified. If the output would differ from the input, or isn't
  /// complete up to `received`, this returns `false` and does nothing.
  mutating func pass(_ frames: Int, after received: Int64) -> Bool {
    guard isIdentity, index == received else { return false }
    index &+= Int64(truncatingIfNeeded: frames)
    return true
  }

  mutating func endInput(after received: Int64) {
    guard var endpoints else { return }
    endpoints.endInput(after: received)
    go(to: endpoints)
  }

  mutating func reset() {
    (index, weight, ramp) = (0, 0, nil)
    if let endpoints { go(to: endpoints.restarted) }
  }
}

// What a scaler has to know of the next positions.
extension ReadCursor {
  @inline(__always)
  var reading: Reading {
    if let ramp { return Reading(scale: RampSteps.scale(ramp.factor), isMoving: true) }
    return endpoints?.reading ?? steady.reading(at: part)
  }

  /// The smallest `Reading.scale` of the next positions, until the factor is set again.
  private var minScale: Double { min(ramp.map { RampSteps.scale($0.factor) } ?? 1, steady.scale) }

  /// Holds until the factor is set again.
  func widestWindow(_ reach: Reach) -> Window {
    ramp == nil ? reach.window(reading) : reach.window(scale: minScale)
  }

  /// At any position and any factor.
  var minScaleEver: Double { endpoints?.reading.scale ?? TIMEDSP_MIN_FACTOR }

  /// Keep this many frames before and after a position. Then a scaler with any other interpolation
  /// can continue there at the current factor.
  var past: Int { past(scale: minScale) }

  func past(scale: Double) -> Int {
    endpoints == nil ? SincQuality.longestHalf(scale: scale) : 0
  }

  /// How many of the new `frames` belong to the stream, after the `received` ones. With fixed
  /// endpoints, we ignore frames after the last expected one.
  func accepted(_ frames: Int, after received: Int64) -> Int {
    guard let endpoints else { return frames }
    let open = endpoints.count &- received
    return Int64(truncatingIfNeeded: frames) <= open ? frames : Int(truncatingIfNeeded: open)
  }

  /// Output frames still to come if the input ends after `arrived` frames. During a ramp, it's an
  /// upper bound.
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
