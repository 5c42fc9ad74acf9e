// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Eight phases as integers, with 2^32 per cycle. Adding them is exact, and they wrap around by
/// themselves. When we convert from cycles in `Float`, we keep 23 bits, which is more than the
/// precision of a phase in a `Float` spectrum.
///
/// We use the functions in this file instead of libm's, so that every CPU gets the same result.
typealias Phases = SIMD8<UInt32>

extension Lanes {
  /// Rounded to integers, for magnitudes below 2^22. Near 1.5 × 2^23, `Float` values are 1 apart,
  /// so adding that number rounds to an integer.
  @inline(__always)
  var wholes: Lanes { (self + 0x1.8p23) - 0x1.8p23 }

  /// From cycles, for magnitudes below 2^22. `Float` values from 1 to 2 are 2^-23 apart, so the
  /// mantissa of 1.5 + a fraction is its phase plus half a cycle.
  @inline(__always)
  var phases: Phases { ((self - wholes) + 1.5).bits &<< 9 &+ 0x8000_0000 }
}

extension Lanes {
  /// All bits set for negative lanes, otherwise 0. We avoid a comparison, because the compiler
  /// would process the mask lane by lane.
  @inline(__always)
  var signs: Phases {
    unsafeBitCast(unsafeBitCast(self, to: SIMD8<Int32>.self) &>> 31, to: Phases.self)
  }

  @inline(__always)
  func replaced(by other: Lanes, where marks: Phases) -> Lanes {
    Lanes(bits: bits.replaced(by: other.bits, where: marks))
  }
}

extension Phases {
  @inline(__always)
  func replaced(by other: Phases, where marks: Phases) -> Phases {
    self ^ ((self ^ other) & marks)
  }
}

extension ComplexLanes {
  /// The arguments of the numbers in cycles, -1/2 … 1/2, or 0 for the number 0. The error is below
  /// 2e-7 radians.
  ///
  /// We use a minimax polynomial for the arc tangent of numbers up to 1.
  @inline(__always)
  var cycles: Lanes {
    let (x, y) = (re.magnitudes, im.magnitudes)
    let steep = (x - y).signs
    let exchange = (x.bits ^ y.bits) & steep
    let (large, small) = (Lanes(bits: x.bits ^ exchange), Lanes(bits: y.bits ^ exchange))
    let t = small / (large + .leastNormalMagnitude)
    let s = t * t
    var p = s * 0.0010841298 - 0.005348277
    p = ((p * s + 0.012672502) * s - 0.021061521) * s + 0.03152512
    p = (p * s - 0.05302624) * s + 0.15915433
    let eighth = p * t
    let quarter = eighth.replaced(by: 0.25 - eighth, where: steep)
    let half = quarter.replaced(by: 0.5 - quarter, where: re.signs)
    return Lanes(bits: half.bits | (im.bits & 0x8000_0000))
  }

  /// The unit vectors exp (2πi · phase), with an error below 2e-7.
  ///
  /// We split each phase into the nearest multiple of a quarter cycle and a remainder, and use
  /// short polynomials for the remainder's sine and cosine.
  @inline(__always)
  init(unit phases: Phases) {
    let fromEighth = phases &+ 0x2000_0000
    let quarter = fromEighth &>> 30
    // from that quarter cycle, in quarter cycles, -1/2 … 1/2
    let distance = Lanes(bits: (fromEighth &<< 2) &>> 9 | 0x3f80_0000) - 1.5
    let s = distance * distance
    let sine = (((s * -0.004592289 + 0.079675905) * s - 0.64596295) * s + 1.5707963) * distance
    let cosine = (((s * -0.020408353 + 0.25359863) * s - 1.233697) * s) + 1
    // odd quarters swap sine and cosine
    let change = (sine.bits ^ cosine.bits) & (Phases.zero &- (quarter & 1))
    // the cosine is negative in the second and third quarters, the sine in the last two
    re = Lanes(bits: (cosine.bits ^ change) ^ ((quarter &+ 1) & 2) &<< 30)
    im = Lanes(bits: (sine.bits ^ change) ^ (quarter & 2) &<< 30)
  }
}

/// The phase differences of a frame in time and in frequency. `PhaseIntegration` derives the
/// rotations from them.
///
/// The phase difference between neighbouring bins tells us where in the window a sound is. When the
/// window moves by one hop, a transient moves within the window by one hop, so its phase
/// differences change, and we have to stretch them along with time. A partial, or two beating
/// partials, keep their phase differences when the window moves, so we mustn't stretch those.
/// That's why we stretch each difference by how far the sound moves within the window per hop.
/// (Related to Fulop and Fitz, "Separation of components from impulses in reassigned spectrograms",
/// 2007.)
extension StretchAnalysis {
  /// Computes the rotations that continue the last synthesis frame from `advance`, as measured over
  /// one output hop.
  func findAdvance(into phases: Row<UInt32>) {
    for bin in upTo(fft.room, by: 8) { phases[eight: bin] = advance[eight: bin].cycles.phases }
  }

  /// Sets `phases.inTime` from `advance`, the phase advance from the last analysis frame to this
  /// one. They're `distance` samples apart in the input, and `hop` samples in the output. We unwrap
  /// each bin's phase advance relative to its centre frequency, and then scale it from `distance`
  /// to `hop`.
  func findAdvance(hop: Int64, over distance: Int64) {
    // the phase advance of bin 1 per frame, given that the number of points is a power of two
    let cycle = Int64(1) &<< (32 &- Int64(fft.count.trailingZeroBitCount))
    let inputStep = UInt32(truncatingIfNeeded: distance &* cycle)
    let difference = UInt32(truncatingIfNeeded: (hop &- distance) &* cycle)
    let scale = (Float(hop) / Float(distance) - 1) * 0x1p-32
    var bins = Phases(0, 1, 2, 3, 4, 5, 6, 7)
    for bin in upTo(fft.room, by: 8) {
      let last = phases.rotations[eight: bin]
      let rest = last &- advance[eight: bin].cycles.phases &- bins &* inputStep
      let more = Lanes(unsafeBitCast(rest, to: SIMD8<Int32>.self)) * scale
      phases.inTime[eight: bin] = last &+ bins &* difference &+ more.phases
      bins = bins &+ 8
    }
  }

  /// Sets `phases.inFrequency` and `phases.transience`, for time stretched by `stretch`. `distance`
  /// is how far the time map puts the analysis frame from the centre of the synthesis frame, and
  /// `hop` is the distance from the last synthesis frame, both in the output.
  func findSteps(stretch: Float, distance: Double, hop: Int64) {
    let (aside, step) = (Float(distance / Double(fft.count)), Float(hop) / Float(fft.count))
    compareSlopes()
    // what `difference` gives for a transient, which moves by the whole hop
    let most = max(1 - ComplexLanes(unit: Lanes(repeating: step).phases).re[0], 1e-6)
    let scale = (stretch - 1) / most
    for bin in upTo(fft.room, by: 8) {
      let moved = difference(around: bin, most: most)
      let cycles = slope[eight: bin].cycles * (moved * scale) - aside
      phases.inFrequency[eight: bin] = cycles.phases
      phases.transience[eight: bin] = moved * (1 / most)
    }
  }

  /// Sets `slopeBefore` to |a| × |b| × cos φ (real parts) and |a| × |b| (imaginary parts), where a
  /// and b are the elements of `slope` and `slopeBefore`, and φ is the phase between them.
  private func compareSlopes() {
    for bin in upTo(fft.room, by: 8) {
      let (now, before) = (slope[eight: bin].squarable, slopeBefore[eight: bin].squarable)
      let all = now.power.squareRoot() * before.power.squareRoot()
      slopeBefore[eight: bin] = ComplexLanes(now.timesConjugate(before).re, all)
    }
  }

  /// 1 minus the mean of cos φ around each of eight bins, limited to `most`. It's 0 for a partial.
  /// We take the mean over the bin and two bins on either side, weighted by |a| × |b|.
  @inline(__always)
  private func difference(around bin: Int, most: Float) -> Lanes {
    var (similar, all) = (Lanes.zero, Lanes(repeating: .leastNormalMagnitude))
    for side in upTo(bin &+ 3, from: bin &- 2) {
      let numbers = slopeBefore[eight: side]
      similar = similar + numbers.re
      all = all + numbers.im
    }
    let (difference, limit) = ((all - similar) / all, Lanes(repeating: most))
    return difference.replaced(by: limit, where: (limit - difference).signs)
  }
}

/// Decides where each bin's rotation comes from: the same bin of the last frame, or the bin below
/// or above it in this frame.
///
/// We know the rotations of the last frame. They spread to the bins of this frame, and from there
/// to their two neighbours, always starting from the loudest bin. You'd normally use a priority
/// queue for that. But the bins of a frame are in a line, so only three paths lead to a bin, and we
/// can compute the levels of these paths with two recurrences. The level of a path is the power of
/// the softest bin on it. We reach a bin by the path with the highest level first, and we reach
/// bins with higher levels before those with lower ones (as in Prim's algorithm for a maximum
/// spanning tree).
///
///     fromLast[k]  = lastPower[k]
///     fromBelow[k] = min (power[k - 1], max (fromLast[k - 1], fromBelow[k - 1]))
///     fromAbove[k] = min (power[k + 1], max (fromLast[k + 1], fromAbove[k + 1]))
///
/// Levels are the bit patterns of powers, as integers, which sort in the same order as the powers.
struct PhaseOrder {
  fileprivate(set) var bins: Int
  /// The power that matters to a bin's neighbours: 0 if the bin doesn't lead to them.
  private let power: Row<UInt32>
  /// For each bin, first the level of the path from the last frame, then the highest level, or
  /// `known` if we know the rotation from the outset. The elements before bin 0 and after the last
  /// bin are 0.
  private let levels: Row<UInt32>
  /// For each bin, first the level of the path from the bin below, then the result: all bits set if
  /// the rotation comes from there, otherwise 0.
  fileprivate let fromBelow: Row<UInt32>
  /// The same for the bin above.
  fileprivate let fromAbove: Row<UInt32>

  /// The level of a bin if we know its rotation from the outset.
  private static let known = Float.infinity.bitPattern

  init(_ bins: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    self.bins = bins
    let room = bins &+ 16
    power = try memory.row(room)
    levels = try memory.row(room, lead: 16)
    fromBelow = try memory.row(room)
    fromAbove = try memory.row(room)
  }

  /// `now` and `last` are the powers of this frame and of the last one. We know some rotations from
  /// the outset: those of bins with a power of at most `least` (which don't spread), those of bins
  /// that are marked in `isFixed`, and that of bin 0 if `isConstant` is set.
  func find(
    _ now: Row<Float>, _ last: Row<Float>, _ isFixed: Row<UInt32>, isConstant: Bool,
    above least: Float
  ) {
    for bin in upTo(bins, by: 8) {
      let numbers = now[eight: bin]
      let isAudible = (least - numbers).signs
      power[eight: bin] = numbers.bits & isAudible
      // we also reach bins that were silent in the last frame, but after all others
      let start = last[eight: bin].bits | 1
      let isKnown = isFixed[eight: bin] | ~isAudible
      levels[eight: bin] = start.replaced(by: Phases(repeating: Self.known), where: isKnown)
    }
    if isConstant { levels[0] = Self.known }
    findPaths()
    choose()
  }

  /// We run both recurrences in one loop, so that the CPU can work on one while it's waiting for
  /// the previous result of the other.
  private func findPaths() {
    var (below, above): (UInt32, UInt32) = (0, 0)
    for low in upTo(bins) {
      let high = bins &- 1 &- low
      fromBelow[low] = below
      fromAbove[high] = above
      below = min(power[low], max(levels[low], below))
      above = min(power[high], max(levels[high], above))
    }
  }

  /// The path with the highest level wins. At the start of a sound, all levels are 1 and the path
  /// from below wins, so rotations spread from the lowest bin.
  private func choose() {
    for bin in upTo(bins, by: 8) {
      let (start, below, above) = (levels[eight: bin], fromBelow[eight: bin], fromAbove[eight: bin])
      let isAbove = start.less(above)
      let other = start.replaced(by: above, where: isAbove)
      let isOther = below.less(other)
      levels[eight: bin] = below.replaced(by: other, where: isOther)
      fromBelow[eight: bin] = ~isOther
      fromAbove[eight: bin] = isAbove & isOther
    }
    levels[-1] = 0
    levels[bins] = 0
  }

  func isOpen(_ bin: Int) -> Bool { levels[bin] != Self.known }

  /// Set if we know the rotation of the bin below before we know this one.
  fileprivate func isAfterBelow(_ bin: Int) -> Bool {
    fromBelow[bin] != 0 || levels[bin &- 1] > levels[bin]
  }

  /// Set if we know the rotation of the bin above before we know this one.
  fileprivate func isAfterAbove(_ bin: Int) -> Bool {
    fromAbove[bin] != 0 || levels[bin &+ 1] > levels[bin]
  }
}

extension Phases {
  /// All bits set in lanes that are less than `other`'s, otherwise 0. The numbers must be below
  /// 2^31.
  @inline(__always)
  fileprivate func less(_ other: Phases) -> Phases {
    let signs = unsafeBitCast(self &- other, to: SIMD8<Int32>.self) &>> 31
    return unsafeBitCast(signs, to: Phases.self)
  }
}

/// Computes the rotation of each bin of a synthesis frame, which is the phase that we add to the
/// same bin of the analysis frame. We start at the loudest bins. A bin's rotation is derived either
/// in time, from the same bin of the last frame, or in frequency, from a neighbouring bin of this
/// frame, whichever is louder (Průša and Holighaus, "Phase Vocoder Done Right", 2017). All phases
/// are integers with 2^32 per cycle.
///
/// The paper uses a priority queue (heap). `PhaseOrder` finds the same order without one.
///
/// A bin is fixed if its rotation is set before the integration. `RigidTransient` fixes the bins of
/// a transient.
struct PhaseIntegration {
  let rotations: Row<UInt32>
  /// For each bin, the rotation that continues the phase of the last synthesis frame.
  let inTime: Row<UInt32>
  /// For each bin, how much its rotation should differ from that of the bin below.
  fileprivate let inFrequency: Row<UInt32>
  /// Like `inTime`, but always measured over the input just before the frame, over one output hop.
  let inTimeNear: Row<UInt32>
  /// For each bin, from 0 for a tone to 1 for noise or a transient.
  let transience: Row<Float>
  /// How much wider each bin's window becomes: the factor d of `StretchAnalysis.widened`.
  let widening: Row<Float>
  let power: Row<Float>
  let lastPower: Row<Float>
  /// Each bin's power in a window before an onset, for `RigidTransient`.
  let before: Row<Float>
  /// Each bin's power in the copy that `RigidTransient` takes the fixed bins from.
  let copyPower: Row<Float>
  /// Used while we undo rotations (`rotateBack`), and in dense transients.
  let gains: Row<Float>
  /// All bits set for fixed bins, otherwise 0.
  let isFixed: Row<UInt32>
  private var order: PhaseOrder

  /// Up to this transience, a bin's rotation only depends on its loudest neighbour. Above it,
  /// `agreed` takes a mean of several.
  private static let minTransience: Float = 0.3
  /// Relative to the loudest bin: -100 dB. Softer bins are left out of the integration, and keep
  /// the rotations of `inTime`.
  private static let minPower: Float = 1e-10
  private static let silence: Float = 1e-18

  init(_ bins: Int, _ memory: inout Arena) throws(TimeDSPStatus) {
    let room = bins &+ 16
    rotations = try memory.row(room)
    inTime = try memory.row(room)
    inFrequency = try memory.row(room)
    inTimeNear = try memory.row(room)
    transience = try memory.row(room)
    widening = try memory.row(room)
    power = try memory.row(room)
    lastPower = try memory.row(room)
    before = try memory.row(room)
    copyPower = try memory.row(room)
    gains = try memory.row(room)
    isFixed = try memory.row(room)
    order = try PhaseOrder(bins, &memory)
  }

  /// An integration with fewer bins has the same rows.
  var bins: Int {
    get { order.bins }
    set { order.bins = newValue }
  }

  /// Takes over the rotations of a spectrum with `times` times as many bins.
  func thinRotations(by times: Int) {
    for bin in upTo(bins) {
      rotations[bin] = rotations[times &* bin]
    }
  }

  /// Interpolates the rotations of a spectrum with 1 / `times` as many bins. `times` is a power of
  /// two.
  func spreadRotations(by times: Int) {
    var count = bins &>> times.trailingZeroBitCount
    while count < bins &- 1 {
      doubleRotations(count)
      count = count &<< 1
    }
  }

  /// Goes from `count` + 1 to 2 × `count` + 1 rotations.
  private func doubleRotations(_ count: Int) {
    rotations[2 &* count] = rotations[count]
    for above in upTo(count) {
      let bin = count &- 1 &- above
      let (low, high) = (rotations[bin], rotations[bin &+ 1])
      let distance = Int32(bitPattern: high &- low) &>> 1
      rotations[2 &* bin &+ 1] = low &+ UInt32(bitPattern: distance)
      rotations[2 &* bin] = low
    }
  }

  /// Computes the rotations of all bins that aren't fixed. Changes `inTime` of bins if their
  /// rotation is already known.
  func run() {
    let least = max(peak(power) * Self.minPower, Self.silence)
    // Bin 0 is real, so a rotation would change its level. If it's a DC offset rather than leakage
    // from low frequencies, we don't rotate it.
    let isConstant = power[0] > max(power[1], power[2], power[3])
    keepFixed()
    if isConstant { inTime[0] = 0 }
    order.find(power, lastPower, isFixed, isConstant: isConstant, above: least)
    settleUpward()
    settleDownward()
  }

  private func keepFixed() {
    for bin in upTo(bins, by: 8) {
      inTime[eight: bin] =
        inTime[eight: bin].replaced(by: rotations[eight: bin], where: isFixed[eight: bin])
    }
  }

  /// Computes all rotations that don't depend on the bin above, in ascending order. The others get
  /// a preliminary rotation, which we don't derive any other bin from.
  private func settleUpward() {
    var phase: UInt32 = 0
    for bin in upTo(bins) {
      let (known, below) = (inTime[bin], phase &+ inFrequency[bin])
      phase = known ^ ((known ^ below) & order.fromBelow[bin])
      if isMean(bin), !order.isAfterAbove(bin) { phase = agreed(bin, phase) }
      rotations[bin] = phase
    }
  }

  /// Computes the rotations that depend on the bin above, in descending order.
  private func settleDownward() {
    var phase: UInt32 = 0
    for higher in upTo(bins) {
      let bin = bins &- 1 &- higher
      let (known, above) = (rotations[bin], phase &- inFrequency[bin &+ 1])
      phase = known ^ ((known ^ above) & order.fromAbove[bin])
      if isMean(bin), order.isAfterAbove(bin) { phase = agreed(bin, phase) }
      rotations[bin] = phase
    }
  }

  private func isMean(_ bin: Int) -> Bool {
    transience[bin] > Self.minTransience && order.isOpen(bin)
  }

  /// At factor 1, we lock phases: all bins between two valleys of the spectrum get the rotation of
  /// the peak between them. That way, their relative phases don't change while we undo the
  /// rotations.
  func runLocked() {
    var start = 0
    while start < bins {
      var peak = start
      while peak &+ 1 < bins, power[peak &+ 1] > power[peak] { peak &+= 1 }
      var end = peak &+ 1
      while end < bins, power[end] <= power[end &- 1] { end &+= 1 }
      for bin in upTo(end, from: start) where isFixed[bin] == 0 { rotations[bin] = inTime[peak] }
      start = end
    }
  }

  /// Undoes part of the rotations, and sets gains to make up for the resulting cancellation.
  /// `before` is the fraction of the initial rotations that was left in the last frame, and `left`
  /// is what's left after this call. We undo `quarter` within a quarter of a window.
  ///
  /// If a bin's phase changes by x cycles in a quarter of a window, overlapping frames partly
  /// cancel out. With squared Hann windows, they add up to 2/3 + 1/3 cos 2πx.
  func rotateBack(from before: Float, to left: Float, quarter: Float) {
    let (gone, next) = (min(before - left, quarter), min(left, quarter))
    for bin in upTo(bins) {
      gains[bin] = 1
      if isFixed[bin] == 0 {
        let first = Float(Int32(bitPattern: rotations[bin])) * 0x1p-32 / before
        rotations[bin] = Lanes(repeating: first * left).phases[0]
        gains[bin] = 6 / (4 + cosine(first * gone) + cosine(first * next))
      }
    }
  }

  private func cosine(_ cycles: Float) -> Float {
    ComplexLanes(unit: Lanes(repeating: cycles).phases).re[0]
  }

  /// A rotation between `phase`, which comes from the loudest neighbour, and a power-weighted mean.
  /// We take the mean of the rotation that continues the last frame and the ones derived from the
  /// two neighbouring bins, if we know them yet. The more transient the bin, the closer we get to
  /// the mean.
  private func agreed(_ bin: Int, _ phase: UInt32) -> UInt32 {
    var all = weight(lastPower[bin])
    var sum = distance(from: phase, to: inTime[bin]) * all
    if order.isAfterBelow(bin) {
      let (below, weight) = (rotations[bin &- 1] &+ inFrequency[bin], weight(power[bin &- 1]))
      sum += distance(from: phase, to: below) * weight
      all += weight
    }
    if order.isAfterAbove(bin) {
      let above = rotations[bin &+ 1] &- inFrequency[bin &+ 1]
      let weight = weight(power[bin &+ 1])
      sum += distance(from: phase, to: above) * weight
      all += weight
    }
    let cycles = sum / all * (transience[bin] * transience[bin])
    return phase &+ Lanes(repeating: cycles).phases[0]
  }

  /// The weight in the mean. It's never subnormal, because that would be slow.
  private func weight(_ power: Float) -> Float { power + Self.silence }

  /// In cycles, -1/2 … 1/2.
  private func distance(from phase: UInt32, to other: UInt32) -> Float {
    Float(Int32(bitPattern: other &- phase)) * 0x1p-32
  }

  private func peak(_ powers: Row<Float>) -> Float {
    var most = Lanes.zero
    for bin in upTo(bins, by: 8) {
      let eight = powers[eight: bin]
      most = most.replaced(by: eight, where: (most - eight).signs)
    }
    return most.max()
  }
}
