// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The sinc interpolation of one stream: its kernels, and memory to work in.
///
/// All of it lies in memory that belongs to the scaler, and is built when the
/// scaler is made.
struct Sinc {
  let plan: SincPlan
  let prototype: SincPrototype
  let plainMemory: SincMemory
  let ownMemory: SincMemory
  /// One kernel, for a position whose kernel is in no bank.
  let kernel: SincMemory
  /// Input in the numbers that are calculated with, channel by channel.
  let samples: UnsafeMutableRawPointer

  /// Lays it out in `memory` of `plan.bytes` and builds the kernels.
  init(_ plan: SincPlan, _ memory: UnsafeMutableRawPointer) {
    self.plan = plan
    var memory = memory
    kernel = SincMemory(1, plan.kernelCount, plan.realBytes, takenFrom: &memory)
    plainMemory = SincMemory(
      plan.plain.rows, plan.plain.kernelCount, plan.realBytes, takenFrom: &memory)
    ownMemory = SincMemory(
      plan.own?.rows ?? 0, plan.own?.kernelCount ?? 0, plan.realBytes, takenFrom: &memory)
    prototype = SincPrototype(
      plan.quality, memory.bindMemory(to: Double.self, capacity: plan.prototypeCount))
    samples = memory + plan.prototypeCount &* MemoryLayout<Double>.stride
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
}

/// What a sinc interpolation needs memory for.
struct SincPlan {
  let quality: SincQuality
  /// Kernels for any position under factors of 1 and above.
  let plain: SincBank
  /// Kernels for the factor that the scaler was made for.
  let own: SincBank?
  /// Bytes of a number that is calculated with.
  let realBytes: Int
  /// The longest kernel.
  let kernelCount: Int
  /// Whether the cores of kernels are used: results of 24 bits deserve it.
  let hasCore: Bool
  private let channels: Int

  /// Samples of a channel, beyond the longest kernel, that are worked on at a
  /// time.
  private static let stretch = 1024

  /// For a stream whose kernels are never longer than `reach` says.
  init?(_ settings: ScalerSettings, _ reading: Reading, longest half: Int) {
    guard settings.interpolation == TIMEDSP_SINC else { return nil }
    quality = settings.sinc
    plain = SincBank(finely: 1, quality)
    if let exact = SincBank(exactly: reading.numerator, scale: reading.scale, quality) {
      own = exact
    } else if reading.scale < 1 {
      own = SincBank(finely: reading.scale, quality)
    } else {
      own = nil
    }
    realBytes = settings.shape.realBytes
    kernelCount = 2 &* half
    hasCore = settings.shape.format == TIMEDSP_F32 && quality.needsCore
    channels = settings.shape.channels
  }

  var prototypeCount: Int { SincPrototype.count(quality) }
  /// Samples of one channel that are worked on at a time.
  var room: Int { kernelCount &+ Self.stretch }
  private var sampleCount: Int { channels &* SampleSpan.stride(room) }
  var bytes: Int {
    SincMemory.bytes(1, kernelCount, realBytes)
      &+ SincMemory.bytes(plain.rows, plain.kernelCount, realBytes)
      &+ SincMemory.bytes(own?.rows ?? 0, own?.kernelCount ?? 0, realBytes)
      &+ prototypeCount &* MemoryLayout<Double>.stride &+ sampleCount &* realBytes
  }
}
