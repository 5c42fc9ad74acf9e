// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Tells you where in the input to read each output frame, starting with frame 0. A position is in
/// input frames, and may be between two of them. The next position is where to read the next output
/// frame.
///
/// When you create one, you choose between a stream of any length, where the factor may change, and
/// fixed endpoints. While a stream's factor is constant, we read output frame k at k / factor.
struct ReadCursor {
  /// The next position while the factor is constant: `index` and `weight`.
  private var place: (index: Int64, weight: Double) = (0, 0)
  /// The steps at the current factor, or at the factor after the ramp.
  private(set) var steady: SteadySteps
  private(set) var ramp: RampSteps?
  private(set) var endpoints: EndpointSteps?

  init(_ factor: Fraction) { steady = SteadySteps(factor) }

  init(_ endpoints: EndpointSteps) {
    self.init(Fraction(numerator: 1, denominator: 1))
    self.endpoints = endpoints
  }

  /// The input frame at or before the next position. It never decreases.
  var index: Int64 { ramp?.position.high ?? endpoints?.index ?? place.index }

  /// The distance from `index` to the next position, in parts of `steady` while the factor is
  /// constant, and otherwise in frames.
  var weight: Double { ramp?.position.fraction ?? endpoints?.weight ?? place.weight }

  @inline(__always)
  var isSteady: Bool { ramp == nil && endpoints == nil }

  /// True if every input frame comes out unchanged from now on.
  var isIdentity: Bool { isSteady && steady.isUnity && weight == 0 }

  /// The distance from `index` to the next position, in frames, 0 ..< 1.
  var fraction: Double { isSteady ? weight / Double(steady.parts) : weight }

  /// Input frames before the next position.
  @inline(__always)
  var framesPassed: Int64 { weight == 0 ? index : index &+ 1 }

  /// The speed at the next position, in input frames per output frame. `nil` if the factor is
  /// fixed.
  var speed: Double? {
    endpoints == nil ? Double(ticks) / Double(RampSteps.ticksPerFrame) : nil
  }

  /// The next position, or the end of the ramp.
  var steadyFrom: Double {
    let landed = landed
    return Double(landed.index) + landed.fraction
  }

  /// The `weight` of a stream with a constant factor, which is an integer.
  private var part: UInt64 { UInt64(truncatingIfNeeded: timedsp_whole_part(weight)) }

  /// A stream's speed at the next position, in ticks per output frame.
  fileprivate var ticks: UInt64 { ramp?.speed ?? steady.ticks }

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

// These change the factor of a stream, which mustn't have fixed endpoints.
extension ReadCursor {
  /// Changes the factor at the next position. We round that position down, because the new factor
  /// divides a frame into different parts.
  mutating func setFactor(_ factor: Fraction) {
    let next = SteadySteps(factor)
    let (part, parts) =
      ramp.map { ($0.position.ticks, RampSteps.ticksPerFrame) } ?? (part, steady.parts)
    place = (index, Double(part.multiplied(by: next.parts, dividedBy: parts)))
    (steady, ramp) = (next, nil)
  }

  /// Ramps the factor, starting at the next position, over `frames` input frames, at least 1.
  mutating func ramp(to factor: Fraction, within frames: UInt64) {
    let target = SteadySteps(factor)
    ramp = RampSteps(from: position, speed: ticks, to: target, within: frames)
    steady = target
  }

  /// Gradually changes the factor to 1 over `steps` output frames, at least 1. The output frame
  /// after that is exactly input frame `frame`.
  mutating func land(on frame: Int64, after steps: UInt64) {
    ramp = RampSteps(from: position, speed: ticks, landingOn: frame, after: steps)
    steady = SteadySteps(Fraction(numerator: 1, denominator: 1))
  }

  /// The cursor at the end of its ramp, after the position of `last`.
  func landed(after last: RampSteps) -> ReadCursor {
    var next = landed
    // rounding may have put the last position after the end
    if next.position.precedes(last.position) { next.hold(last.position) }
    return next
  }

  /// Rounds down to a multiple of 1 / `steady.parts` frames.
  private mutating func hold(_ position: Wide) {
    let part = position.ticks.multiplied(by: steady.parts, dividedBy: RampSteps.ticksPerFrame)
    place = (position.high, Double(part))
  }
}

extension ReadCursor {
  /// Counts `frames` frames that you've passed on unmodified. If the output would have differed
  /// from the input, or isn't complete up to `received`, this returns `false` and does nothing.
  mutating func pass(_ frames: Int, after received: Int64) -> Bool {
    guard isIdentity, index == received else { return false }
    place.index &+= Int64(frames)
    return true
  }

  mutating func endInput(after received: Int64) { endpoints?.endInput(after: received) }
}

// What a scaler needs to know about the next positions.
extension ReadCursor {
  @inline(__always)
  var reading: Reading {
    if let ramp { return Reading(scale: RampSteps.scale(ramp.factor), isMoving: true) }
    return endpoints?.reading ?? steady.reading(at: part)
  }

  /// The smallest `Reading.scale` of the next positions, until the factor is set again.
  private var minScale: Double { min(ramp.map { RampSteps.scale($0.factor) } ?? 1, steady.scale) }

  /// Valid until the factor is set again.
  func widestWindow(_ settings: ScalerSettings) -> Window {
    settings.window(ramp == nil ? reading : Reading(scale: minScale))
  }

  /// The smallest `Reading.scale` at any position and any factor.
  var minScaleEver: Double { endpoints?.reading.scale ?? TIMEDSP_MIN_FACTOR }

  /// How many frames to keep before and after a position, so that a scaler with any other
  /// interpolation can continue there at the current factor.
  var past: Int { past(scale: minScale) }

  func past(scale: Double) -> Int {
    endpoints == nil ? SincQuality.longestHalf(scale: scale) : 0
  }

  /// How many of the new `frames` belong to the stream, after the `received` ones. If the endpoints
  /// are fixed, we ignore frames after the last expected one.
  func accepted(_ frames: Int, after received: Int64) -> Int {
    guard let endpoints else { return frames }
    let open = endpoints.count &- received
    return Int64(frames) <= open ? frames : Int(truncatingIfNeeded: open)
  }

  /// How many more output frames to expect if the input ends after `arrived` frames. It's an upper
  /// bound during a ramp.
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

extension ReadCursor {
  /// Fills `points` with at most `limit` positions, and returns how many. Stops at the first
  /// position that `source` doesn't have all the frames for, and at the end of a ramp.
  mutating func fill(
    _ points: ReadPoints, limit: Int, _ settings: ScalerSettings,
    from source: FrameSource, arrived: Int64
  ) -> Int {
    let isSmooth = settings.interpolation == TIMEDSP_SMOOTH
    let count: Int
    if let ramp {
      count = fill(points, limit, settings, source, arrived: arrived, along: ramp)
      if isSmooth { points.smoothWeights(count, isMoving: true) }
    } else if let endpoints {
      count = fill(points, limit, settings, source, along: endpoints)
    } else {
      count = fillSteadily(points, limit, settings, source, arrived: arrived)
      points.divideWeights(count, by: Double(steady.parts))
      if isSmooth && steady.isLengthening { points.smoothWeights(count, isMoving: false) }
    }
    if settings.interpolation == TIMEDSP_NEAREST { points.snapToFrames(count) }
    return count
  }

  /// Fills `points` at a constant factor, leaving the weights in parts.
  private mutating func fillSteadily(
    _ points: ReadPoints, _ limit: Int, _ settings: ScalerSettings, _ source: FrameSource,
    arrived: Int64
  ) -> Int {
    var (count, run) = (0, 0)
    repeat {
      let window = settings.window(reading)
      guard index &- Int64(window.before) >= source.first else { break }
      run = min(limit &- count, readyRun(window, end: source.end, arrived: arrived))
      // a range literal would be checked, and could trap
      put(Range(uncheckedBounds: (count, count &+ run)), in: points, from: source.first)
      count &+= run
    } while run > 0
    return count
  }

  /// How many more output frames we can definitely compute. If it's 0, we can't even compute one.
  private func readyRun(_ window: Window, end: Int64, arrived: Int64) -> Int {
    // the longest step in frames, and how far we can advance
    let longestStep = UInt64(truncatingIfNeeded: steady.one.whole &+ 1)
    let frames = min(end &- Int64(window.after), arrived) &- 1 &- index
    if frames > steady.one.whole {
      return Int(
        truncatingIfNeeded: UInt64(truncatingIfNeeded: frames).quotient(by: longestStep))
    }
    var (next, weight) = (index, weight)
    let after = weight == 0 ? window.afterOnFrame : window.after
    steady.advance(&next, &weight)
    let isDue = (weight == 0 ? next : next &+ 1) <= arrived
    return index &+ Int64(after) < end && isDue ? 1 : 0
  }

  private mutating func fill(
    _ points: ReadPoints, _ limit: Int, _ settings: ScalerSettings, _ source: FrameSource,
    arrived: Int64,
    along first: RampSteps
  ) -> Int {
    var (ramp, count) = (first, 0)
    while count < limit {
      let factor = ramp.factor
      let window = settings.window(Reading(scale: RampSteps.scale(factor), isMoving: true))
      let index = ramp.position.high
      guard source.has(window, around: index, isOnFrame: ramp.position.low == 0) else { break }
      points.offsets[count] = Int(truncatingIfNeeded: index &- source.first)
      points.weights[count] = ramp.position.fraction
      points.factors[count] = max(factor, TIMEDSP_MIN_FACTOR)
      var next = ramp
      guard next.advance() else {
        let next = landed(after: ramp)
        guard next.framesPassed <= arrived else { break }
        self = next
        return count &+ 1
      }
      guard next.framesPassed <= arrived else { break }
      ramp = next
      count &+= 1
    }
    self.ramp = ramp
    return count
  }

  private mutating func fill(
    _ points: ReadPoints, _ limit: Int, _ settings: ScalerSettings, _ source: FrameSource,
    along first: EndpointSteps
  ) -> Int {
    let window = settings.window(first.reading)
    var (endpoints, count) = (first, 0)
    while count < limit, endpoints.remaining > 0 {
      let (index, weight) = (endpoints.index, endpoints.weight)
      guard source.has(window, around: index, isOnFrame: weight == 0) else { break }
      points.offsets[count] = Int(truncatingIfNeeded: index &- source.first)
      points.weights[count] = weight
      endpoints.advance()
      count &+= 1
    }
    self.endpoints = endpoints
    return count
  }
}

/// Eight consecutive positions at a constant factor. Each lane advances by eight steps at once, so
/// that lanes don't have to wait for each other.
///
/// The weights are integers below 2^53, so `Double` represents them and their differences exactly.
/// Every CPU can compare vectors of doubles with one instruction, but not all of them can do that
/// with 64-bit integers.
private struct PositionLanes {
  var indices = SIMD8<Int64>.zero
  var weights = SIMD8<Double>.zero
  static let count = 8

  @inline(__always)
  mutating func advance(_ stride: SteadySteps.Stride) {
    let beyond = weights - stride.gap
    let carries = beyond .>= 0
    // `beyond` replaces sums that are too large to be exact
    weights = (weights + stride.part).replacing(with: beyond, where: carries)
    indices &+= SIMD8(repeating: stride.whole).replacing(with: stride.whole &+ 1, where: carries)
  }
}

extension ReadCursor {
  /// Stores the next positions at a constant factor, and advances. Their offsets are relative to
  /// input frame `first`.
  @inline(__always)
  private mutating func put(_ run: Range<Int>, in points: ReadPoints, from first: Int64) {
    var slot = run.lowerBound
    // lanes aren't any faster for shorter runs
    if run.upperBound &- slot > 2 &* PositionLanes.count {
      slot = putLanes(run, in: points, from: first)
    }
    var (index, weight) = (index, weight)
    while slot < run.upperBound {
      points.offsets[slot] = Int(truncatingIfNeeded: index &- first)
      points.weights[slot] = weight
      steady.advance(&index, &weight)
      slot &+= 1
    }
    place = (index, weight)
  }

  /// Stores as many groups of eight as fit. Returns the index after the last position.
  private mutating func putLanes(
    _ run: Range<Int>, in points: ReadPoints, from first: Int64
  ) -> Int {
    var lanes = PositionLanes()
    var (index, weight) = (index, weight)
    for lane in upTo(PositionLanes.count) {
      lanes.indices[lane] = index &- first
      lanes.weights[lane] = weight
      steady.advance(&index, &weight)
    }
    let stride = steady.stride(PositionLanes.count)
    var slot = run.lowerBound
    while slot &+ PositionLanes.count <= run.upperBound {
      points.offsets[eight: slot] = SIMD8(truncatingIfNeeded: lanes.indices)
      points.weights[eight: slot] = lanes.weights
      lanes.advance(stride)
      slot &+= PositionLanes.count
    }
    place = (lanes.indices[0] &+ first, lanes.weights[0])
    return slot
  }
}

/// The distance from one read position to the next at a constant factor, as an exact fraction of a
/// frame.
///
/// If we divide a frame into as many parts as the factor's numerator, all positions are exact. We
/// multiply the numerator and the denominator by a power of two, so that the numerator is in 2^52
/// ..< 2^53. That doesn't affect the positions, and it means that the position is preserved to
/// within 2^-52 of a frame when the factor changes. In lowest terms, the numerator could be 1, and
/// we'd only have whole frames.
struct SteadySteps: BitwiseCopyable {
  let parts: UInt64
  /// The distance between successive positions, in parts.
  private let step: UInt64
  /// We shift the numerator and the denominator by this many bits to get `parts` and `step`.
  private let spare: UInt64
  let one: Stride

  /// The length of one or more steps: `whole` frames and `part` parts. `gap` is how far `part` is
  /// from a whole frame, in parts. All are integers.
  struct Stride: BitwiseCopyable {
    let whole: Int64
    let part, gap: Double

    fileprivate init(_ distance: UInt64, _ parts: UInt64) {
      let whole = distance.quotient(by: parts)
      let part = distance &- whole &* parts
      self.whole = Int64(truncatingIfNeeded: whole)
      (self.part, gap) = (Double(part), Double(parts &- part))
    }
  }

  init(_ factor: Fraction) {
    // a factor's numerator has at most 53 bits
    spare = UInt64(truncatingIfNeeded: factor.numerator.leadingZeroBitCount &- 11)
    parts = factor.numerator &<< spare
    step = factor.denominator &<< spare
    one = Stride(step, parts)
  }

  /// At most 8 steps.
  func stride(_ count: Int) -> Stride {
    Stride(step &* UInt64(truncatingIfNeeded: count), parts)
  }

  /// The position is `weight` parts after frame `index`.
  @inline(__always)
  func advance(_ index: inout Int64, _ weight: inout Double) {
    // We compute both results before we know which one we need. That shortens the critical path
    // from one position to the next.
    let below = weight + one.part
    let beyond = weight - one.gap
    let carries = beyond >= 0
    index &+= carries ? one.whole &+ 1 : one.whole
    weight = carries ? beyond : below
  }

  var isUnity: Bool { step == parts }
  fileprivate var isLengthening: Bool { step < parts }

  var scale: Double { min(Double(parts) / Double(step), 1) }

  /// The distance between successive positions, in ticks (`RampSteps`), rounded down.
  fileprivate var ticks: UInt64 {
    // the product is below 100 × 2^53 × 2^55, and the divisor is at least 2^52
    step.multiplied(by: RampSteps.ticksPerFrame, dividedBy: parts)
  }

  func reading(at part: UInt64) -> Reading {
    let unit: UInt64 = 1 &<< spare
    return Reading(
      scale: scale, numerator: parts &>> spare,
      offset: Double(part & (unit &- 1)) / Double(unit), isIdentity: isUnity && part == 0)
  }

  /// How many steps we can complete within the next `frames` frames, starting `part` parts after a
  /// frame.
  func count(from part: UInt64, within frames: UInt64) -> UInt64 {
    // `part` is subtracted from whole frames, below 2^53 × 2^53 parts
    let product = frames.multipliedFullWidth(by: parts)
    let (low, borrows) = product.low.subtractingReportingOverflow(part)
    return step.dividing(high: product.high &- (borrows ? 1 : 0), low: low)
  }
}

/// The read positions of a ramp. This is `CurveSection` in integers, frame by frame. Position k is
/// p(k) = v0 × k + (v1 - v0) × k² / (2 × T), up to k = T.
///
/// We count positions in ticks of 2^-55 frames, and steps in 2^-64 ticks. From one position to the
/// next, the step grows by (v1² - v0²) / (2 × X), rounded to this unit. After K frames, the error
/// is K² / 2 units, so it stays below a tick for 2^32 frames.
struct RampSteps: BitwiseCopyable {
  /// The largest power of two that keeps twice a step of 100 frames below 2^63 ticks.
  fileprivate static let ticksPerFrame: UInt64 = 1 << 55

  /// Rounded down to ticks.
  private(set) var position: Wide
  private var rest: UInt64 = 0
  /// The distance from the next position to the one after it, in ticks.
  private var step: Wide
  private let growth: Wide
  private var left: UInt64
  /// The first position after T, where the factor becomes constant.
  let end: Wide
  /// In ticks per output frame.
  private let finalSpeed: UInt64

  /// `speed` is the speed at `start`, in ticks per output frame. The ramp covers `frames` input
  /// frames, 1 … 2^53.
  init(from start: Wide, speed: UInt64, to target: SteadySteps, within frames: UInt64) {
    finalSpeed = target.ticks
    let sum = speed &+ finalSpeed
    // T = X × 2^56 / sum, with a remainder
    left = frames.multiplied(by: 2 &* Self.ticksPerFrame, dividedBy: sum)
    let rest = (frames &<< 56) &- left &* sum
    let distance = (sum &- rest).multiplied(by: finalSpeed, dividedBy: sum)
    end = start.adding(Wide(high: Int64(truncatingIfNeeded: frames), low: 0))
      .adding(Wide(ticks: distance))
    let slows = finalSpeed < speed
    let difference = slows ? speed &- finalSpeed : finalSpeed &- speed
    let rise = left > 0 ? Self.growth(difference, sum, frames) : Wide(high: 0, low: 0)
    growth = slows ? rise.negated : rise
    step = Wide(high: Int64(truncatingIfNeeded: speed), low: 0).adding(growth.halved)
    position = start
  }

  /// A ramp to factor 1. `speed` is the speed at `start`, in ticks per output frame. After `steps`
  /// steps, at least 1, we're exactly on input frame `frame`.
  ///
  /// Position k is p(k) = v0 × k + a × k² / 2, with a = 2 × (frame - start - v0 × steps) / steps².
  /// The speed may be slightly off 1 at the end, and then jumps to 1.
  init(from start: Wide, speed: UInt64, landingOn frame: Int64, after steps: UInt64) {
    end = Wide(high: frame, low: 0)
    finalSpeed = Self.ticksPerFrame
    left = steps &- 1
    let count = Double(steps)
    let distance = (Double(frame &- start.high) - start.fraction) * Double(Self.ticksPerFrame)
    growth = Wide(2 * (distance / count - Double(speed)) / count)
    step = Wide(high: Int64(truncatingIfNeeded: speed), low: 0).adding(growth.halved)
    position = start
  }

  /// In ticks: difference × sum / (2^56 × frames), by long division in base 2^64. It's below 2^63
  /// if there's at least one step.
  private static func growth(_ difference: UInt64, _ sum: UInt64, _ frames: UInt64) -> Wide {
    let product = difference.multipliedFullWidth(by: sum)
    let middle = product.high &<< 8 | product.low &>> 56
    let high = frames.dividing(high: product.high &>> 56, low: middle)
    let rest = middle &- high &* frames
    let low = frames.dividing(high: rest, low: product.low &<< 8)
    return Wide(high: Int64(truncatingIfNeeded: high), low: low)
  }

  /// The speed at the next position, in ticks per output frame.
  var speed: UInt64 {
    UInt64(truncatingIfNeeded: max(step.adding(growth.halved.negated).high, 1))
  }

  var factor: Double { Double(Self.ticksPerFrame) / Double(speed) }

  /// Returns `false` if the ramp has ended.
  @inline(__always)
  mutating func advance() -> Bool {
    guard left > 0 else { return false }
    left &-= 1
    let (sum, carries) = rest.addingReportingOverflow(step.low)
    rest = sum
    let ticks = UInt64(truncatingIfNeeded: max(step.high, 0)) &+ (carries ? 1 : 0)
    position = position.adding(Wide(ticks: ticks))
    step = step.adding(growth)
    return true
  }

  /// Input frames before the next position.
  @inline(__always)
  var framesPassed: Int64 { position.low == 0 ? position.high : position.high &+ 1 }

  @inline(__always)
  static func scale(_ factor: Double) -> Double { max(TIMEDSP_MIN_FACTOR, min(factor, 1)) }

  /// The max number of positions of the ramp that are due once `arrived` input frames have arrived.
  fileprivate func maxDue(arrived: Int64) -> UInt64 {
    if end.high < arrived { return left &+ 1 }
    // No further step is shorter than at the lower of the two speeds. Rounding accounts for less
    // than half a step.
    let frames = UInt64(truncatingIfNeeded: arrived &- position.high &+ 1)
    let slowest = min(speed, finalSpeed) &>> 1
    let high = frames &>> 9
    return high >= slowest
      ? left &+ 1 : min(left &+ 1, slowest.dividing(high: high, low: frames &<< 55))
  }
}

extension Wide {
  init(ticks: UInt64) { self.init(high: Int64(truncatingIfNeeded: ticks &>> 55), low: ticks &<< 9) }

  /// Ticks after `high`, rounded down.
  fileprivate var ticks: UInt64 { low &>> 9 }
}

/// Read positions that scale a known number of input frames to a given number of output frames,
/// while keeping the first and last frames. They're the control points of `scaleToD` in "Scaling
/// Audio Files".
///
/// We use double precision and the article's order of operations, and compute each position from
/// the number of its output frame, so the results agree with the article to the last digit.
struct EndpointSteps: BitwiseCopyable {
  let count: Int64
  private let length: Int64
  /// We only apply smoothstep to positions between two frames, and only for `TIMEDSP_SMOOTH` when
  /// lengthening.
  private let isSmooth: Bool
  /// Output frames per input frame if `isSmooth`, otherwise input frames per output frame. We
  /// measure from the first frame to the last, so n frames count as n - 1.
  private let slope: Double
  /// The last input frame. We never read after it.
  private var last: Double
  private var made: Int64 = 0
  /// Where the next output frame is read.
  private var position = 0.0

  /// The input frame at or before the next position.
  var index: Int64 { timedsp_whole_part(position) }
  var weight: Double { position - Double(index) }

  /// `count` must be at least 1, unless `length` is 0. Both must be at most 2^53.
  init(count: Int64, length: Int64, smooth: Bool) {
    self.count = count
    self.length = length
    isSmooth = smooth && length > count && count > 1
    let inputSpan = Double(count &- 1)
    let outputSpan = Double(length &- 1)
    slope = isSmooth ? outputSpan / inputSpan : (length > 1 ? inputSpan / outputSpan : 0)
    last = max(inputSpan, 0)
    settle()
  }

  /// Kernels don't get any longer below a stream's smallest factor. If the input or the output has
  /// fewer than two frames, we copy instead of interpolating.
  var reading: Reading {
    let factor = isSmooth ? 1 : 1 / slope
    return Reading(
      scale: max(TIMEDSP_MIN_FACTOR, min(factor, 1)),
      isIdentity: length == count || length < 2 || count < 2)
  }

  var remaining: UInt64 { UInt64(truncatingIfNeeded: length &- made) }

  mutating func advance() {
    made &+= 1
    settle()
  }

  /// If `received` is less than `count`, we repeat the last frame in place of the missing ones.
  mutating func endInput(after received: Int64) {
    guard received < count else { return }
    last = Double(max(received, 1) &- 1)
    settle()
  }

  private mutating func settle() {
    // a single output frame is the first input frame, not the last
    let isAtEnd = made >= max(length &- 1, 1) || length == 0
    // otherwise, rounding could put the position after `last`, or before the previous one
    position = min(max(isAtEnd ? last : exactPosition, position), last)
  }

  private var exactPosition: Double {
    let frame = Double(made)
    guard isSmooth else { return frame * slope }
    let distance = frame / slope
    let whole = Double(timedsp_whole_part(distance))
    return whole + smoothstep(distance - whole)
  }
}
