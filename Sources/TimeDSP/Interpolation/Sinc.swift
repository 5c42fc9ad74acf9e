// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A scaler's sinc interpolation: its kernels and its scratch memory. A kernel is the row of
/// weights for the frames around a position. They depend on the factor, and on the fractional part
/// of the position, the phase.
///
/// The memory belongs to the scaler. We build the kernels for the initial factor on creation, and
/// those for other factors when we need them. Only the current factor decides which kernels we use,
/// and not an earlier one.
struct Sinc {
  let plan: SincPlan
  let prototype: SincPrototype
  let plainMemory: SincMemory
  let ownMemory: SincMemory
  /// For one kernel that we interpolate.
  let kernel: SincMemory
  /// For `SampleLines`: input samples as `Sample.Real`, channel by channel.
  let samples: UnsafeMutableRawPointer
  /// For the last constant factor, unless `plan.plain` will do. Rests while the factor changes.
  private(set) var own: SincBank?
  private let isBuilt: UnsafeMutablePointer<Bool>
  private var missing = 0

  /// Builds the kernels for the initial factor, in `plan.bytes` bytes of `memory`.
  init(_ plan: SincPlan, _ memory: UnsafeMutableRawPointer) {
    self.plan = plan
    var memory = memory
    kernel = SincMemory(rows: 1, count: plan.kernelCount, plan.realBytes, allocatedFrom: &memory)
    plainMemory = SincMemory(
      rows: plan.plain.rows, count: plan.plain.weightCount, plan.realBytes, allocatedFrom: &memory)
    ownMemory = SincMemory(
      rows: plan.ownRows, count: plan.ownWeights, plan.realBytes, allocatedFrom: &memory)
    // kernels fill whole cache lines, so `memory` is at the start of a cache line
    samples = memory + SincPlan.lineBytes
    memory += plan.sampleBytes
    prototype = SincPrototype(
      plan.quality, memory.bindMemory(to: Double.self, capacity: plan.prototypeCount))
    isBuilt = (memory + plan.prototypeCount &* MemoryLayout<Double>.stride)
      .bindMemory(to: Bool.self, capacity: plan.ownRows)
    own = plan.own
    if plan.realBytes == MemoryLayout<Float>.stride {
      build(Float.self)
    } else {
      build(Double.self)
    }
  }

  private func build<Real: SincReal>(_: Real.Type) {
    plan.plain.build(plainMemory.weights(Real.self), prototype)
    plan.own?.build(ownMemory.weights(Real.self), prototype)
  }

  /// Builds missing kernels for the first `count` points, whose positions `reading` describes.
  /// Real-time: at most four kernels per point.
  @inline(__always)
  mutating func prepare(_ points: ReadPoints, _ count: Int, _ reading: Reading) {
    if reading.isMoving { return }
    change(to: SincBank.resting(reading, plan.quality))
    guard missing > 0, let own else { return }
    var point = 0
    while point < count && missing > 0 {
      prepare(own, own.row(at: points.weights[point]))
      point &+= 1
    }
  }

  private mutating func change(to bank: SincBank?) {
    guard let bank else {
      own = nil
      return
    }
    if let own, own.isSame(as: bank) { return }
    own = bank
    missing = bank.rows
    for row in upTo(bank.rows) {
      isBuilt[row] = false
    }
  }

  private mutating func prepare(_ bank: SincBank, _ first: Int) {
    var row = first
    while row < first &+ (bank.isFine ? 4 : 1) {
      if !isBuilt[row] {
        if plan.realBytes == MemoryLayout<Float>.stride {
          bank.build(row, ownMemory.weights(Float.self), prototype)
        } else {
          bank.build(row, ownMemory.weights(Double.self), prototype)
        }
        isBuilt[row] = true
        missing &-= 1
      }
      row &+= 1
    }
  }
}

/// How much memory a sinc interpolation needs, and the banks of its kernels.
struct SincPlan {
  let quality: SincQuality
  /// Unstretched, for factors of 1 and above.
  let plain: SincBank
  /// For the initial factor, unless `plain` will do.
  let own: SincBank?
  let ownRows: Int
  let ownWeights: Int
  let realBytes: Int
  let kernelCount: Int
  /// A kernel may have its middle weights in double precision, too, as a core (`SincDot`). That
  /// improves only results with 24 bits, those of F32.
  let hasCore: Bool
  private let channels: Int

  /// Input frames that we process at a time, beside those that the longest kernel covers.
  private static let stretch = 1024

  /// For kernels that cover at most `half` frames on either side. `reading` describes the initial
  /// positions. With `isFixed`, the factor never changes. With `isWide`, we sum S16 in double
  /// precision. `nil` for any interpolation but sinc.
  init?(
    _ settings: ScalerSettings, _ reading: Reading, longest half: Int, isFixed: Bool,
    isWide: Bool = false
  ) {
    guard settings.interpolation == TIMEDSP_SINC else { return nil }
    quality = settings.sinc
    plain = SincBank(finely: 1, quality)
    own = SincBank.resting(reading, quality)
    ownRows = isFixed ? own?.rows ?? 0 : SincBank.maxRows(quality)
    ownWeights = isFixed ? own?.weightCount ?? 0 : SincBank.maxWeights(quality)
    realBytes =
      isWide && settings.shape.format == TIMEDSP_S16
      ? MemoryLayout<Double>.stride : settings.shape.realBytes
    kernelCount = 2 &* half
    hasCore = settings.shape.format == TIMEDSP_F32 && quality.needsCore
    channels = settings.shape.channels
  }

  var prototypeCount: Int { SincPrototype.count(quality) }
  /// Input frames that we process at a time.
  var room: Int { kernelCount &+ Self.stretch }
  /// With one cache line of padding before the first sample.
  var sampleBytes: Int {
    realBytes == MemoryLayout<Float>.stride
      ? SampleLines<Float>.bytes(channels: channels, room)
      : SampleLines<Double>.bytes(channels: channels, room)
  }
  static let lineBytes = 64
  var bytes: Int {
    SincMemory.bytes(rows: 1, count: kernelCount, realBytes)
      &+ SincMemory.bytes(rows: plain.rows, count: plain.weightCount, realBytes)
      &+ SincMemory.bytes(rows: ownRows, count: ownWeights, realBytes)
      &+ sampleBytes &+ prototypeCount &* MemoryLayout<Double>.stride &+ ownRows
  }
}
