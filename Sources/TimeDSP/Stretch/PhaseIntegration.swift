// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Computes the rotation of each bin of a synthesis frame, the phase that we add to the same bin of
/// the analysis frame. Integration starts at the loudest bins. A bin's rotation is derived in time,
/// from the same bin of the last frame, or in frequency, from a neighbouring bin of this frame,
/// whichever is louder (Průša and Holighaus, "Phase Vocoder Done Right", 2017). All phases are
/// integers with 2^32 per cycle.
///
/// The paper uses a priority queue (heap). `PhaseOrder` finds the same order without one.
///
/// If its rotation is set before the integration, a bin is fixed. `RigidTransient` fixes the bins
/// of a transient.
struct PhaseIntegration {
  let bins: Int
  let rotations: UnsafeMutablePointer<UInt32>
  /// For each bin, the rotation that continues the phase of the last synthesis frame.
  let inTime: UnsafeMutablePointer<UInt32>
  /// For each bin, the wanted difference from the rotation of the bin below.
  let inFrequency: UnsafeMutablePointer<UInt32>
  /// The same as `inTime`, but always measured directly before the frame, over one output hop of
  /// input.
  let inTimeNear: UnsafeMutablePointer<UInt32>
  /// For each bin, from 0 for a tone to 1 for noise or a transient.
  let transience: UnsafeMutablePointer<Float>
  /// How much wider each bin's window becomes: the factor d of `StretchAnalysis.widened`.
  let widening: UnsafeMutablePointer<Float>
  let power: UnsafeMutablePointer<Float>
  let lastPower: UnsafeMutablePointer<Float>
  /// Each bin's power in a window before an onset, for `RigidTransient`.
  let before: UnsafeMutablePointer<Float>
  /// And in the copy from which `RigidTransient` takes the fixed bins.
  let copyPower: UnsafeMutablePointer<Float>
  /// While rotations are being undone (`rotateBack`), and in dense transients.
  let gains: UnsafeMutablePointer<Float>
  let isFixed: UnsafeMutablePointer<UInt8>
  private let order: PhaseOrder

  /// Up to this transience, a bin's rotation follows from its loudest neighbour alone. Above it,
  /// `agreed` takes a mean of several.
  private static let minTransience: Float = 0.3
  /// Relative to the loudest bin: -100 dB. Softer bins take no part in the integration, and have
  /// the rotations of `inTime`.
  private static let minPower: Float = 1e-10
  private static let silence: Float = 1e-18

  init(_ bins: Int, _ memory: inout ScratchMemory) {
    self.bins = bins
    let room = bins &+ 16
    rotations = memory.allocate(UInt32.self, room)
    inTime = memory.allocate(UInt32.self, room)
    inFrequency = memory.allocate(UInt32.self, room)
    inTimeNear = memory.allocate(UInt32.self, room)
    transience = memory.allocate(Float.self, room)
    widening = memory.allocate(Float.self, room)
    power = memory.allocate(Float.self, room)
    lastPower = memory.allocate(Float.self, room)
    before = memory.allocate(Float.self, room)
    copyPower = memory.allocate(Float.self, room)
    gains = memory.allocate(Float.self, room)
    isFixed = memory.allocate(UInt8.self, room)
    order = PhaseOrder(bins, &memory)
  }

  /// Fewer bins, in the memory of `other`.
  init(_ bins: Int, sharing other: PhaseIntegration) {
    self.bins = bins
    (rotations, inTime, inFrequency) = (other.rotations, other.inTime, other.inFrequency)
    (inTimeNear, transience, widening) = (other.inTimeNear, other.transience, other.widening)
    (power, lastPower) = (other.power, other.lastPower)
    (before, copyPower, gains) = (other.before, other.copyPower, other.gains)
    isFixed = other.isFixed
    order = PhaseOrder(bins, sharing: other.order)
  }

  /// From a spectrum with `times` times as many bins.
  func thinRotations(by times: Int) {
    for bin in upTo(bins) {
      rotations[bin] = rotations[times &* bin]
    }
  }

  /// From a spectrum with 1 / `times` as many bins, by interpolation. `times` is a power of two.
  func spreadRotations(by times: Int) {
    var count = bins &>> times.trailingZeroBitCount
    while count < bins &- 1 {
      doubleRotations(count)
      count = count &<< 1
    }
  }

  /// From `count` + 1 to 2 × `count` + 1 rotations.
  private func doubleRotations(_ count: Int) {
    var bin = count
    rotations[2 &* bin] = rotations[bin]
    while bin > 0 {
      bin &-= 1
      let (low, high) = (rotations[bin], rotations[bin &+ 1])
      let distance = Int32(bitPattern: high &- low) &>> 1
      rotations[2 &* bin &+ 1] = low &+ UInt32(bitPattern: distance)
      rotations[2 &* bin] = low
    }
  }

  func start() {
    var bin = 0
    while bin < bins &+ 16 {
      rotations[bin] = 0
      lastPower[bin] = 0
      isFixed[bin] = 0
      bin &+= 1
    }
  }

  /// For all bins that aren't fixed. Changes `inTime` of bins whose rotations are known.
  func run() {
    let least = max(peak(power) * Self.minPower, Self.silence)
    // Bin 0 is real, so a rotation would change its level. If it holds a DC offset, and not leakage
    // from low frequencies, we rotate it by 0.
    let isConstant = power[0] > max(power[1], power[2], power[3])
    keepFixed()
    if isConstant { inTime[0] = 0 }
    order.find(power, lastPower, isFixed, isConstant: isConstant, above: least)
    settleUpward()
    settleDownward()
  }

  private func keepFixed() {
    for bin in upTo(bins, by: 8) {
      let known = inTime.lanes(bin).replaced(by: rotations.lanes(bin), where: isFixed.marks(bin))
      inTime.put(known, bin)
    }
  }

  /// In ascending order, all rotations that don't depend on the bin above. The others get a
  /// preliminary one, from which no bin is derived.
  private func settleUpward() {
    var phase: UInt32 = 0
    for bin in upTo(bins) {
      let (known, below) = (inTime[bin], phase &+ inFrequency[bin])
      phase = known ^ ((known ^ below) & order.fromBelow[bin])
      if isMean(bin), !order.isAfterAbove(bin) { phase = agreed(bin, phase) }
      rotations[bin] = phase
    }
  }

  /// In descending order, the rotations that depend on the bin above.
  private func settleDownward() {
    var phase: UInt32 = 0
    var bin = bins
    while bin > 0 {
      bin &-= 1
      let (known, above) = (rotations[bin], phase &- inFrequency[bin &+ 1])
      phase = known ^ ((known ^ above) & order.fromAbove[bin])
      if isMean(bin), order.isAfterAbove(bin) { phase = agreed(bin, phase) }
      rotations[bin] = phase
    }
  }

  @inline(__always)
  private func isMean(_ bin: Int) -> Bool {
    transience[bin] > Self.minTransience && order.isOpen(bin)
  }

  /// At factor 1, we lock phases: all bins between two valleys of the spectrum get the rotation of
  /// the peak between them. So while their rotations are undone, they keep their phases relative to
  /// each other.
  func runLocked() {
    var start = 0
    while start < bins {
      var peak = start
      while peak &+ 1 < bins, power[peak &+ 1] > power[peak] { peak &+= 1 }
      var end = peak &+ 1
      while end < bins, power[end] <= power[end &- 1] { end &+= 1 }
      while start < end {
        if isFixed[start] == 0 { rotations[start] = inTime[peak] }
        start &+= 1
      }
    }
  }

  /// Undoes a part of the rotations, and sets gains against the cancellation that results. `before`
  /// is the share of the initial rotations that was left in the last frame, and `left` what's left
  /// after this call. `quarter` is undone within a quarter of a window.
  ///
  /// If a bin's phase changes by x cycles in a quarter of a window, overlapping frames partly
  /// cancel. Under squared Hann windows, they add up to 2/3 + 1/3 cos 2πx.
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

  /// A rotation between `phase`, which follows from the loudest neighbour, and a power-weighted
  /// mean. The mean is of the rotation that continues the last frame, and of those that follow from
  /// the two neighbouring bins, as far as we know them. The more transient the bin, the nearer we
  /// are to the mean.
  @inline(__always)
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

  /// In the mean. Never subnormal, because CPUs are slow with that.
  @inline(__always)
  private func weight(_ power: Float) -> Float { power + Self.silence }

  /// In cycles, -1/2 … 1/2.
  @inline(__always)
  private func distance(from phase: UInt32, to other: UInt32) -> Float {
    Float(Int32(bitPattern: other &- phase)) * 0x1p-32
  }

  private func peak(_ powers: UnsafeMutablePointer<Float>) -> Float {
    var most = Lanes.zero
    for bin in upTo(bins, by: 8) {
      let eight = powers.lanes(bin)
      most = most.replaced(by: eight, where: (most - eight).signs)
    }
    return most.max()
  }
}
