// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A scaler's sinc interpolation: its kernels and its scratch memory. A kernel is the row of
/// weights for the frames around a position. It depends on the factor, and on the fractional part
/// of the position, which we call the phase.
///
/// We build the kernels for the initial factor on creation, and kernels for other factors when we
/// need them. The kernels we use only depend on the current factor, not on any earlier one.
struct Sinc {
  fileprivate let quality: SincQuality
  /// Kernels and samples are `Double` rather than `Float`.
  fileprivate let isWide: Bool
  /// Kernels may also have their middle weights in double precision, as a core (`SincDot`). That
  /// only improves results with 24 bits, as for F32.
  fileprivate let hasCore: Bool
  /// How many input frames we process at a time.
  fileprivate let room: Int
  private let prototype: SincPrototype
  /// Unstretched kernels, for factors of 1 and above.
  private let plain: SincBank
  private let plainMemory: SincMemory
  /// The bank for the last constant factor, unless `plain` will do. We don't touch it while the
  /// factor is changing.
  private var own: SincBank?
  private let ownMemory: SincMemory
  /// For each row of `own`, whether we've built it.
  private let isBuilt: Row<Bool>
  private var missing = 0
  /// A single interpolated kernel.
  private let kernel: SincMemory
  /// For `SampleLines`, channel by channel.
  fileprivate let samples: UnsafeMutableRawPointer

  /// How many input frames we process at a time, not counting those that the longest kernel covers.
  private static let stretch = 1024

  /// Kernels cover at most `half` frames on either side. `reading` describes the initial positions.
  /// If `isExact` is set, we sum S16 in double precision. `nil` unless the interpolation is sinc.
  init?(
    _ settings: ScalerSettings, _ reading: Reading, longest half: Int, isExact: Bool = false,
    _ memory: inout Arena
  ) throws(TimeDSPStatus) {
    guard settings.interpolation == TIMEDSP_SINC else { return nil }
    let shape = settings.shape
    quality = settings.sinc
    isWide = shape.isWide || isExact && shape.format == TIMEDSP_S16
    hasCore = shape.format == TIMEDSP_F32 && quality.needsCore
    room = 2 &* half &+ Self.stretch
    prototype = try SincPrototype(quality, &memory)
    plain = SincBank(finely: 1, quality)
    own = SincBank.resting(reading, quality)
    let rows = SincBank.maxRows(quality)
    kernel = try SincMemory(rows: 1, count: 2 &* half, isWide: isWide, &memory)
    plainMemory = try SincMemory(
      rows: plain.rows, count: plain.weightCount, isWide: isWide, &memory)
    ownMemory = try SincMemory(
      rows: rows, count: SincBank.maxWeights(quality), isWide: isWide, &memory)
    isBuilt = try memory.row(rows)
    samples =
      isWide
      ? try SampleLines<Double>.allocate(channels: shape.channels, room, &memory)
      : try SampleLines<Float>.allocate(channels: shape.channels, room, &memory)
    for row in upTo(plain.rows) { build(row, of: plain, plainMemory) }
    if let own { for row in upTo(own.rows) { build(row, of: own, ownMemory) } }
  }

  /// Builds any missing kernels for the first `count` points. `reading` describes their positions.
  /// Real-time: at most four kernels per point.
  @inline(__always)
  mutating func prepare(_ points: ReadPoints, _ count: Int, _ reading: Reading) {
    if reading.isMoving { return }
    change(to: SincBank.resting(reading, quality))
    guard missing > 0, let own else { return }
    for point in upTo(count) where missing > 0 {
      prepare(own, own.row(at: points.weights[point]))
    }
  }

  private mutating func change(to bank: SincBank?) {
    if bank == own { return }
    own = bank
    guard let bank else { return }
    missing = bank.rows
    isBuilt.fill(false, to: bank.rows)
  }

  private mutating func prepare(_ bank: SincBank, _ first: Int) {
    for row in upTo(first &+ (bank.isFine ? 4 : 1), from: first) where !isBuilt[row] {
      build(row, of: bank, ownMemory)
      isBuilt[row] = true
      missing &-= 1
    }
  }

  private func build(_ row: Int, of bank: SincBank, _ memory: SincMemory) {
    if isWide {
      bank.build(row, memory.weights(Double.self), prototype)
    } else {
      bank.build(row, memory.weights(Float.self), prototype)
    }
  }

  /// The kernel for `phase`, which covers `half` frames on either side. `scale` is that of the
  /// position.
  @inline(__always)
  fileprivate func weights<Real: SincReal>(
    at phase: Double, half: Int, scale: Double, isMoving: Bool
  ) -> SincWeights<Real> {
    let target = kernel.weights(Real.self)
    if !isMoving, let own {
      let weights = ownMemory.weights(Real.self)
      if !own.isFine { return own.kernel(weights, at: phase) }
      own.interpolate(weights, at: phase, hasCore: hasCore, into: target)
    } else if scale == 1 {
      plain.interpolate(plainMemory.weights(Real.self), at: phase, hasCore: hasCore, into: target)
    } else {
      prototype.fill(target, half: half, scale: scale, phase: phase)
    }
    return target
  }

  /// How many successive positions differ in their phase, if each phase has a kernel of its own.
  fileprivate func phases(_ reading: Reading) -> Int? {
    guard let own, !own.isFine, !reading.isMoving else { return nil }
    return own.phases
  }
}

// This applies kernels to samples. The compiler specializes the generic code for each sample type.

extension Sinc {
  /// Interpolates all planes, writing to `target` from frame `made` onwards. `reading` describes
  /// the positions. `source` must contain every input frame that the kernels cover. You must call
  /// `prepare` for the points first.
  func interpolate(
    _ points: ReadPoints, _ count: Int, _ reading: Reading, _ shape: AudioShape,
    from source: FrameSource, to target: OutputPlanes, made: Int
  ) {
    let task = SincTask(
      sinc: self, points: points, reading: reading, shape: shape, source: source.planes,
      target: target, made: made, half: quality.half(scale: reading.scale))
    switch shape.format {
    case TIMEDSP_S16 where isWide: task.interpolate(Int16.self, Double.self, count)
    case TIMEDSP_S16: task.interpolate(Int16.self, Float.self, count)
    case TIMEDSP_S32: task.interpolate(Int32.self, Double.self, count)
    case TIMEDSP_F32: task.interpolate(Float.self, Float.self, count)
    default: task.interpolate(Double.self, Double.self, count)
    }
  }
}

private struct SincTask {
  let sinc: Sinc
  let points: ReadPoints
  let reading: Reading
  let shape: AudioShape
  let source: InputPlanes
  let target: OutputPlanes
  let made: Int
  /// How many frames a kernel covers on either side while the factor is constant.
  let half: Int

  /// How many frames a kernel covers on either side.
  @inline(__always)
  func half(at point: Int) -> Int {
    reading.isMoving ? sinc.quality.half(scale: points.scale(point)) : half
  }

  /// Splits the points into groups, so that the input of each group fits into `sinc.samples`.
  @inline(__always)
  func interpolate<S: Sample, Real: SincReal>(_: S.Type, _: Real.Type, _ count: Int) {
    var done = 0
    while done < count {
      var span = SampleSpan(points.offsets[done], half(at: done))
      var end = done &+ 1
      // positions never decrease, so the first and last ones tell us if all the input fits
      let all = span.joined(with: SampleSpan(points.offsets[count &- 1], half))
      if !reading.isMoving && all.count <= sinc.room {
        (span, end) = (all, count)
      }
      while end < count {
        let more = span.joined(with: SampleSpan(points.offsets[end], half(at: end)))
        guard more.count <= sinc.room else { break }
        span = more
        end &+= 1
      }
      let group = SincGroup<S, Real>(
        task: self,
        samples: SampleLines(memory: sinc.samples.assumingMemoryBound(to: Real.self)),
        first: span.start, stride: SampleLines<Real>.lines(span.count))
      group.gather(span)
      group.write(from: done, to: end)
      done = end
    }
  }
}

/// Some successive points, and the input that their kernels cover.
private struct SincGroup<S: Sample, Real: SincReal> {
  let task: SincTask
  /// The first channel, starting at frame `first`.
  let samples: SampleLines<Real>
  let first: Int
  /// The distance from one channel to the next, in cache lines.
  let stride: Int

  private var shape: AudioShape { task.shape }

  @inline(__always)
  func gather(_ span: SampleSpan) {
    let step = shape.samplesPerFrame
    for channel in upTo(shape.channels) {
      if let base = task.source[shape.plane(of: channel)] {
        let from =
          base.assumingMemoryBound(to: S.self) + shape.sampleOffset(of: channel)
          + span.start &* step
        let lines = samples.moved(lines: channel &* stride)
        switch step {
        case 1: lines.fill(from, 1, span.count)
        case 2: lines.fill(from, 2, span.count)
        default: lines.fill(from, step, span.count)
        }
      }
    }
  }

  @inline(__always)
  func write(from start: Int, to end: Int) {
    if shape.channels <= 2, let phases = task.sinc.phases(task.reading) {
      return shape.channels == 2
        ? writeStereo(phases, from: start, to: end) : writeMono(phases, from: start, to: end)
    }
    for point in upTo(end, from: start) { writeFrame(point) }
  }

  /// The kernel at a point, and the part of the first channel that it covers.
  @inline(__always)
  private func dot(_ point: Int) -> SincDot<Real> {
    let (half, reading) = (task.half(at: point), task.reading)
    let weights: SincWeights<Real> = task.sinc.weights(
      at: task.points.weights[point], half: half,
      scale: reading.isMoving ? task.points.scale(point) : reading.scale,
      isMoving: reading.isMoving)
    return SincDot(
      weights: weights.all, core: weights.cores, half: half,
      outer: task.sinc.hasCore ? half &- SincQuality.core / 2 : half, samples: samples(point, half))
  }

  @inline(__always)
  private func samples(_ point: Int, _ half: Int) -> SampleLines<Real> {
    samples.from(task.points.offsets[point] &- half &+ 1 &- first)
  }

  /// Every `apart`-th position has the same kernel. We compute two output frames with the same
  /// kernel at a time, so that we load the weights less often.
  @inline(__always)
  private func writeStereo(_ apart: Int, from start: Int, to end: Int) {
    guard let left = output(0), let right = output(1) else { return }
    for first in upTo(min(start &+ apart, end), from: start) {
      let dot = dot(first)
      var point = first
      while point &+ apart < end {
        let (one, two) = (samples(point, dot.half), samples(point &+ apart, dot.half))
        let totals = dot.totals(
          over: FourSamples(
            one: one, two: one.moved(lines: stride), three: two, four: two.moved(lines: stride)))
        let frame = task.made &+ point
        left.write(totals.0, frame)
        right.write(totals.1, frame)
        left.write(totals.2, frame &+ apart)
        right.write(totals.3, frame &+ apart)
        point &+= 2 &* apart
      }
      if point < end {
        let last = dot.over(samples(point, dot.half))
        let totals = last.totals(with: last.over(last.samples.moved(lines: stride)))
        left.write(totals.0, task.made &+ point)
        right.write(totals.1, task.made &+ point)
      }
    }
  }

  /// Every `apart`-th position has the same kernel. We compute four frames with the same kernel at a
  /// time, so that we load the weights less often. We compute the remaining ones two at a time.
  @inline(__always)
  private func writeMono(_ apart: Int, from start: Int, to end: Int) {
    guard let output = output(0, step: 1) else { return }
    var shared = start
    while shared &+ 4 &* apart <= end { shared &+= 4 &* apart }
    for first in upTo(min(start &+ apart, shared), from: start) {
      let dot = dot(first)
      for point in upTo(shared, from: first, by: 4 &* apart) {
        let (second, third) = (point &+ apart, point &+ 2 &* apart)
        let totals = dot.totals(
          over: FourSamples(
            one: samples(point, dot.half), two: samples(second, dot.half),
            three: samples(third, dot.half), four: samples(third &+ apart, dot.half)))
        let frame = task.made &+ point
        output.write(totals.0, frame)
        output.write(totals.1, frame &+ apart)
        output.write(totals.2, frame &+ 2 &* apart)
        output.write(totals.3, frame &+ 3 &* apart)
      }
    }
    var point = shared
    while point &+ 1 < end {
      let totals = dot(point).totals(with: dot(point &+ 1))
      output.write(totals.0, task.made &+ point)
      output.write(totals.1, task.made &+ point &+ 1)
      point &+= 2
    }
    if point < end { output.write(dot(point).total, task.made &+ point) }
  }

  /// All channels have the same kernel at a point. We compute four channels at a time, and the
  /// remaining ones two at a time, so that we load the weights less often.
  @inline(__always)
  private func writeFrame(_ point: Int) {
    let (dot, frame) = (dot(point), task.made &+ point)
    var channel = 0
    var samples = dot.samples
    while channel &+ 3 < shape.channels {
      let (second, third) = (samples.moved(lines: stride), samples.moved(lines: 2 &* stride))
      let totals = dot.totals(
        over: FourSamples(
          one: samples, two: second, three: third, four: samples.moved(lines: 3 &* stride)))
      output(channel)?.write(totals.0, frame)
      output(channel &+ 1)?.write(totals.1, frame)
      output(channel &+ 2)?.write(totals.2, frame)
      output(channel &+ 3)?.write(totals.3, frame)
      samples = samples.moved(lines: 4 &* stride)
      channel &+= 4
    }
    while channel &+ 1 < shape.channels {
      let totals = dot.over(samples).totals(with: dot.over(samples.moved(lines: stride)))
      output(channel)?.write(totals.0, frame)
      output(channel &+ 1)?.write(totals.1, frame)
      samples = samples.moved(lines: 2 &* stride)
      channel &+= 2
    }
    if channel < shape.channels { output(channel)?.write(dot.over(samples).total, frame) }
  }

  @inline(__always)
  private func output(_ channel: Int) -> ChannelOutput<S>? {
    output(channel, step: shape.samplesPerFrame)
  }

  @inline(__always)
  private func output(_ channel: Int, step: Int) -> ChannelOutput<S>? {
    guard let plane = task.target[shape.plane(of: channel)] else { return nil }
    let first = plane.assumingMemoryBound(to: S.self) + shape.sampleOffset(of: channel)
    return ChannelOutput(first: first, step: step)
  }
}

/// A channel of the output.
private struct ChannelOutput<S: Sample> {
  let first: UnsafeMutablePointer<S>
  /// The distance from one sample to the next.
  let step: Int

  @inline(__always)
  func write(_ value: Double, _ frame: Int) { first[frame &* step] = S(nearest: value) }
}

/// One or more kernels: their weights, and those of their cores (`SincDot`).
struct SincWeights<Real: SincReal> {
  let all: UnsafeMutablePointer<Real>
  let cores: UnsafeMutablePointer<Double>

  @inline(__always)
  func row(_ row: Int, _ count: Int) -> SincWeights {
    SincWeights(all: all + row &* count, cores: cores + row &* SincQuality.core)
  }
}

/// The memory of kernels if we don't know their number type statically.
private struct SincMemory {
  private let all: UnsafeMutableRawPointer
  private let cores: Row<Double>

  /// There's room for `rows` kernels with `count` weights in total.
  init(rows: Int, count: Int, isWide: Bool, _ memory: inout Arena) throws(TimeDSPStatus) {
    all = try memory.allocate(bytes: count &* (isWide ? 8 : 4))
    cores = try memory.row(rows &* SincQuality.core)
  }

  @inline(__always)
  func weights<Real: SincReal>(_: Real.Type) -> SincWeights<Real> {
    SincWeights(all: all.assumingMemoryBound(to: Real.self), cores: cores.address(0))
  }
}
