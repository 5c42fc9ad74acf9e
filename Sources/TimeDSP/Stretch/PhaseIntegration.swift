// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Computes the phase rotation of each bin of a synthesis frame, which is the phase that is added
/// to the same bin of the analysis frame. Integration starts at the loudest bins. The rotation of a
/// bin is derived in time, from the same bin of the last frame, or in frequency, from a
/// neighbouring bin of this frame, whichever of these two bins is louder (Průša and Holighaus,
/// "Phase Vocoder Done Right", 2017). Instead of a heap, the queue uses buckets of less than 1 dB
/// each. All phases are integers with 2^32 per cycle.
///
/// A bin is fixed if its rotation is set before the integration. `RigidTransient` fixes the bins of
/// a transient.
///
/// A queue entry is the number of a bin of the last frame, or `bins` plus the number of a bin of
/// this frame. Each bucket is a linked list, last in, first out.
struct PhaseIntegration {
  let bins: Int
  /// The result: the rotation of each bin.
  let rotations: UnsafeMutablePointer<UInt32>
  /// For each bin, the rotation that continues the phase of the last synthesis frame.
  let inTime: UnsafeMutablePointer<UInt32>
  /// For each bin, the wanted difference between its rotation and the rotation of the bin below.
  let inFrequency: UnsafeMutablePointer<UInt32>
  /// The same as `inTime`, but always measured directly before the frame, over a distance in the
  /// input that equals the output hop.
  let inTimeNear: UnsafeMutablePointer<UInt32>
  /// How transient each bin is: 0 for a tonal bin, 1 for noise or a transient.
  let transience: UnsafeMutablePointer<Float>
  /// For each bin, how much wider its window becomes: the factor d of `StretchAnalysis.widened`.
  let widening: UnsafeMutablePointer<Float>
  /// The power of each bin in this frame.
  let power: UnsafeMutablePointer<Float>
  /// The power of each bin in the last frame.
  let lastPower: UnsafeMutablePointer<Float>
  /// The power of each bin in a window before an onset, for `RigidTransient`.
  let before: UnsafeMutablePointer<Float>
  /// The gains of the bins while the rotations are being undone (`rotateBack`), and in dense
  /// transients.
  let gains: UnsafeMutablePointer<Float>
  /// 1 for each fixed bin, 0 for any other bin.
  let isFixed: UnsafeMutablePointer<UInt8>
  /// 1 for each bin whose rotation has not been computed yet, 0 for any other bin.
  private let isOpen: UnsafeMutablePointer<UInt8>
  /// For each queue entry, the next entry of its bucket.
  private let next: UnsafeMutablePointer<Int32>
  /// For each bucket, its first entry, or -1.
  private let heads: UnsafeMutablePointer<Int32>

  private static let buckets = 256
  /// Up to this transience, the rotation of a bin follows from its loudest neighbour alone. Above
  /// this transience, `agreed` computes a mean of several rotations.
  private static let leastTransience: Float = 0.3
  /// Minimum power of a bin that takes part in the integration, relative to the loudest bin: -100
  /// dB. The rotations of softer bins are those of `inTime`.
  private static let leastPower: Float = 1e-10
  /// Powers below this are silence.
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
    gains = memory.allocate(Float.self, room)
    isFixed = memory.allocate(UInt8.self, room)
    isOpen = memory.allocate(UInt8.self, room)
    next = memory.allocate(Int32.self, 2 &* room)
    heads = memory.allocate(Int32.self, Self.buckets)
  }

  /// Creates an integration of fewer bins in the memory of `other`.
  init(_ bins: Int, sharing other: PhaseIntegration) {
    self.bins = bins
    (rotations, inTime, inFrequency) = (other.rotations, other.inTime, other.inFrequency)
    (inTimeNear, transience, widening) = (other.inTimeNear, other.transience, other.widening)
    (power, lastPower) = (other.power, other.lastPower)
    (before, gains) = (other.before, other.gains)
    (isFixed, isOpen, next, heads) = (other.isFixed, other.isOpen, other.next, other.heads)
  }

  /// A mask for eight bins from `bin` on: all bits set for fixed bins, 0 for other bins.
  @inline(__always)
  func fixedMarks(_ bin: Int) -> Phases {
    let bytes = UnsafeMutableRawPointer(isFixed + bin).read(SIMD8<UInt8>.self)
    return Phases.zero &- Phases(truncatingIfNeeded: bytes)
  }

  /// Converts rotations from a spectrum with `times` times as many bins, by keeping every
  /// `times`-th rotation.
  func thinRotations(by times: Int) {
    var bin = 0
    while bin < bins {
      rotations[bin] = rotations[times &* bin]
      bin &+= 1
    }
  }

  /// Converts rotations from a spectrum with 1 / `times` as many bins, by interpolation. `times` is
  /// a power of two.
  func spreadRotations(by times: Int) {
    var count = bins &>> times.trailingZeroBitCount
    while count < bins &- 1 {
      doubleRotations(count)
      count = count &<< 1
    }
  }

  /// Interpolates `count` + 1 rotations to 2 × `count` + 1 rotations.
  private func doubleRotations(_ count: Int) {
    var bin = count
    rotations[2 &* bin] = rotations[bin]
    while bin > 0 {
      bin &-= 1
      let (low, high) = (rotations[bin], rotations[bin &+ 1])
      let way = Int32(bitPattern: high &- low) &>> 1
      rotations[2 &* bin &+ 1] = low &+ UInt32(bitPattern: way)
      rotations[2 &* bin] = low
    }
  }

  func start() {
    var bin = 0
    while bin < bins &+ 16 {
      rotations[bin] = 0
      lastPower[bin] = 0
      isFixed[bin] = 0
      isOpen[bin] = 0
      bin &+= 1
    }
  }

  /// Computes the rotations of all bins that are not fixed.
  func run() {
    let loudest = max(peak(power), Self.silence)
    var queue = Queue(next, heads, Self.buckets, loudest: max(loudest, peak(lastPower)))
    let least = max(loudest * Self.leastPower, Self.silence)
    let standsStill = isConstant
    if standsStill { rotations[0] = 0 }
    var bin = 0
    while bin < bins {
      isOpen[bin] = 0
      if isFixed[bin] != 0 || bin == 0 && standsStill {
        if power[bin] > least { queue.put(bin &+ bins, power[bin]) }
      } else if power[bin] > least {
        isOpen[bin] = 1
        if lastPower[bin] > 0 { queue.put(bin, lastPower[bin]) }
      } else {
        rotations[bin] = inTime[bin]
      }
      bin &+= 1
    }
    drain(&queue)
    // bins that no queue entry has reached were silent in the last frame; they continue with
    // `inTime`
    bin = 0
    while bin < bins {
      if isOpen[bin] != 0 {
        settle(bin, inTime[bin], &queue)
        drain(&queue)
      }
      bin &+= 1
    }
  }

  /// Computes the rotations at factor 1, by phase locking: all bins between two valleys of the
  /// spectrum get the rotation of the peak between them. These bins thus keep their phases relative
  /// to each other while their rotations are undone.
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

  /// Whether bin 0 contains a DC offset rather than leakage from low frequencies. Bin 0 is real, so
  /// a rotation would change the level of the offset.
  private var isConstant: Bool { power[0] > max(power[1], power[2], power[3]) }

  /// Undoes a part of the rotations, and sets gains that compensate for the cancellation that
  /// results. `before` is the share of the initial rotations that was left in the last frame, and
  /// `left` the share that is left after this call. `quarter` is the share that is undone within a
  /// quarter of a window.
  ///
  /// If the phase of a bin changes by x cycles in a quarter of a window, overlapping frames partly
  /// cancel in this bin. Under squared Hann windows, they add up to 2/3 + 1/3 cos 2πx.
  func rotateBack(from before: Float, to left: Float, quarter: Float) {
    let (gone, next) = (min(before - left, quarter), min(left, quarter))
    var bin = 0
    while bin < bins {
      gains[bin] = 1
      if isFixed[bin] == 0 {
        let first = Float(Int32(bitPattern: rotations[bin])) * 0x1p-32 / before
        rotations[bin] = Lanes(repeating: first * left).phases[0]
        gains[bin] = 6 / (4 + cosine(first * gone) + cosine(first * next))
      }
      bin &+= 1
    }
  }

  private func cosine(_ cycles: Float) -> Float {
    ComplexLanes(unit: Lanes(repeating: cycles).phases).re[0]
  }

  private func drain(_ queue: inout Queue) {
    while let entry = queue.dequeue() {
      if entry < bins {
        if isOpen[entry] != 0 { settle(entry, inTime[entry], &queue) }
        continue
      }
      let bin = entry &- bins
      if isOpen[bin &+ 1] != 0 {
        settle(bin &+ 1, rotations[bin] &+ inFrequency[bin &+ 1], &queue)
      }
      if bin > 0, isOpen[bin &- 1] != 0 {
        settle(bin &- 1, rotations[bin] &- inFrequency[bin], &queue)
      }
    }
  }

  @inline(__always)
  private func settle(_ bin: Int, _ phase: UInt32, _ queue: inout Queue) {
    rotations[bin] = transience[bin] > Self.leastTransience ? agreed(bin, phase) : phase
    isOpen[bin] = 0
    queue.put(bin &+ bins, power[bin])
  }

  /// A rotation between `phase`, which follows from the loudest neighbour, and a power-weighted
  /// mean. The mean covers the rotation that continues the last frame, and the rotations that
  /// follow from the two neighbouring bins, if their own rotations are already known. The more
  /// transient the bin, the nearer the result is to the mean.
  @inline(__always)
  private func agreed(_ bin: Int, _ phase: UInt32) -> UInt32 {
    var all = weight(lastPower[bin])
    var sum = way(from: phase, to: inTime[bin]) * all
    if bin > 0, isOpen[bin &- 1] == 0 {
      let (below, weight) = (rotations[bin &- 1] &+ inFrequency[bin], weight(power[bin &- 1]))
      sum += way(from: phase, to: below) * weight
      all += weight
    }
    if bin &+ 1 < bins, isOpen[bin &+ 1] == 0 {
      let above = rotations[bin &+ 1] &- inFrequency[bin &+ 1]
      let weight = weight(power[bin &+ 1])
      sum += way(from: phase, to: above) * weight
      all += weight
    }
    let cycles = sum / all * (transience[bin] * transience[bin])
    return phase &+ Lanes(repeating: cycles).phases[0]
  }

  /// The weight of a bin in the mean. The weight is never subnormal, because processors are slow
  /// with subnormal numbers.
  @inline(__always)
  private func weight(_ power: Float) -> Float { power + Self.silence }

  /// The difference from `phase` to `other` in cycles, -1/2 … 1/2.
  @inline(__always)
  private func way(from phase: UInt32, to other: UInt32) -> Float {
    Float(Int32(bitPattern: other &- phase)) * 0x1p-32
  }

  private func peak(_ powers: UnsafeMutablePointer<Float>) -> Float {
    var most = Lanes.zero
    var bin = 0
    while bin < bins {
      let eight = powers.lanes(bin)
      most = most.replaced(by: eight, where: (most - eight).signs)
      bin &+= 8
    }
    return most.max()
  }

  /// A priority queue of bins, loudest first, with a resolution better than 1 dB.
  private struct Queue {
    private let next: UnsafeMutablePointer<Int32>
    private let heads: UnsafeMutablePointer<Int32>
    private let last: Int
    /// The level of the loudest bucket, which is the first bucket.
    private let top: Int
    /// The first bucket that may contain an entry.
    private var bucket: Int

    @inline(__always)
    init(
      _ next: UnsafeMutablePointer<Int32>, _ heads: UnsafeMutablePointer<Int32>, _ count: Int,
      loudest: Float
    ) {
      self.next = next
      self.heads = heads
      last = count &- 1
      top = Self.level(loudest)
      bucket = count
      var index = 0
      while index < count {
        heads[index] = -1
        index &+= 1
      }
    }

    /// The level of a power: its exponent and the next two bits. A factor of two spans four levels.
    @inline(__always)
    private static func level(_ power: Float) -> Int {
      Int(truncatingIfNeeded: power.bitPattern &>> 21)
    }

    @inline(__always)
    mutating func put(_ entry: Int, _ power: Float) {
      let index = min(max(top &- Self.level(power), 0), last)
      next[entry] = heads[index]
      heads[index] = Int32(truncatingIfNeeded: entry)
      if index < bucket { bucket = index }
    }

    @inline(__always)
    mutating func dequeue() -> Int? {
      while bucket <= last {
        let entry = heads[bucket]
        if entry >= 0 {
          let number = Int(entry)
          heads[bucket] = next[number]
          return number
        }
        bucket &+= 1
      }
      return nil
    }
  }
}
