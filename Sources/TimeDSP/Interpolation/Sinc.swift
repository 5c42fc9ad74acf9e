// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A scaler's sinc interpolation: its kernels and its scratch memory. A kernel is the row of
/// weights for the frames around a position. It depends on the factor, and on the fractional part
/// of the position, which we call the phase.
///
/// The memory is owned by the scaler. We build the kernels for the initial factor on creation, and
/// kernels for other factors when we need them. The kernels we use only depend on the current
/// factor, not on any earlier one.
struct Sinc {
  let plan: SincPlan
  let prototype: SincPrototype
  fileprivate let plainMemory: SincMemory
  fileprivate let ownMemory: SincMemory
  /// Memory for a single interpolated kernel.
  let kernel: SincMemory
  /// For `SampleLines`: input samples as `Sample.Real`, channel by channel.
  let samples: UnsafeMutableRawPointer
  /// The bank for the last constant factor, unless `plan.plain` will do. We don't touch it while
  /// the factor is changing.
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

  /// Builds any missing kernels for the first `count` points. `reading` describes their positions.
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
  /// Unstretched kernels, for factors of 1 and above.
  let plain: SincBank
  /// The bank for the initial factor, unless `plain` will do.
  let own: SincBank?
  fileprivate let ownRows: Int
  fileprivate let ownWeights: Int
  let realBytes: Int
  let kernelCount: Int
  /// Kernels may also have their middle weights in double precision, as a core (`SincDot`). That
  /// only improves results with 24 bits, as for F32.
  let hasCore: Bool
  private let channels: Int

  /// How many input frames we process at a time, not counting those that the longest kernel covers.
  private static let stretch = 1024

  /// Plans kernels that cover at most `half` frames on either side. `reading` describes the initial
  /// positions. If `isFixed` is set, the factor never changes. If `isWide` is set, we sum S16 in
  /// double precision. `nil` unless the interpolation is sinc.
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

  fileprivate var prototypeCount: Int { SincPrototype.count(quality) }
  /// How many input frames we process at a time.
  var room: Int { kernelCount &+ Self.stretch }
  /// Includes one cache line of padding before the first sample.
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

// This applies kernels to samples. The compiler specializes the generic code for each sample type.

extension Sinc {
  /// Interpolates all planes, writing to `target` from frame `made` onwards. `reading` describes
  /// the positions. `source` must contain every input frame that the kernels cover. You must call
  /// `prepare` for the points first.
  func interpolate(
    _ points: ReadPoints, _ count: Int, _ reading: Reading, _ shape: AudioShape,
    from source: FrameSource, to target: UnsafePointer<UnsafeMutableRawPointer?>, made: Int
  ) {
    let run = SincRun(
      sinc: self, points: points, reading: reading, shape: shape, source: source.planes,
      target: target, made: made, half: plan.quality.half(scale: reading.scale),
      exact: exact(reading))
    switch shape.format {
    case TIMEDSP_S16 where plan.realBytes == MemoryLayout<Double>.stride:
      run.interpolate(WideInt16.self, count)
    case TIMEDSP_S16: run.interpolate(Int16.self, count)
    case TIMEDSP_S32: run.interpolate(Int32.self, count)
    case TIMEDSP_F32: run.interpolate(Float.self, count)
    default: run.interpolate(Double.self, count)
    }
  }
}

extension Sinc {
  /// A bank with a kernel for every position, or `nil` if the factor is changing, or if the
  /// positions have too many different fractions.
  private func exact(_ reading: Reading) -> SincBank? {
    guard let own, !own.isFine, !reading.isMoving else { return nil }
    return own
  }
}

private struct SincRun {
  let sinc: Sinc
  let points: ReadPoints
  let reading: Reading
  let shape: AudioShape
  let source: UnsafePointer<UnsafeRawPointer?>
  let target: UnsafePointer<UnsafeMutableRawPointer?>
  let made: Int
  /// How many frames a kernel covers on either side while the factor is constant.
  let half: Int
  /// A bank with a kernel for every position of the run, if there is one.
  let exact: SincBank?

  /// Splits the points into groups, so that the input of each group fits into `sinc.samples`.
  @inline(__always)
  func interpolate<S: Sample>(_: S.Type, _ count: Int) {
    var done = 0
    while done < count {
      var span = SampleSpan(points.offsets[done], half(at: done))
      var end = done &+ 1
      // positions never decrease, so the first and last ones tell us if all the input fits
      let all = span.joined(with: SampleSpan(points.offsets[count &- 1], half))
      if !reading.isMoving && all.count <= sinc.plan.room {
        (span, end) = (all, count)
      }
      while end < count {
        let more = span.joined(with: SampleSpan(points.offsets[end], half(at: end)))
        guard more.count <= sinc.plan.room else { break }
        span = more
        end &+= 1
      }
      interpolate(S.self, from: done, to: end, span)
      done = end
    }
  }

  /// How many frames a kernel covers on either side.
  @inline(__always)
  private func half(at point: Int) -> Int {
    reading.isMoving ? sinc.plan.quality.half(scale: points.scale(point)) : half
  }

  @inline(__always)
  private func interpolate<S: Sample>(
    _: S.Type, from start: Int, to end: Int, _ span: SampleSpan
  ) {
    let samples = SampleLines(memory: sinc.samples.assumingMemoryBound(to: S.Real.self))
    let stride = SampleLines<S.Real>.lines(span.count)
    for channel in upTo(shape.channels) {
      if let base = source[shape.plane(of: channel)] {
        let first = base.assumingMemoryBound(to: S.self) + shape.sampleOffset(of: channel)
        gather(first, span, samples.moved(lines: channel &* stride))
      }
    }
    if let exact, shape.channels <= 2 {
      let rows = SincRows(
        bank: exact, weights: sinc.ownMemory.weights(S.Real.self), hasCore: sinc.plan.hasCore,
        points: points, samples: samples, first: span.start, stride: stride)
      return shape.channels == 2
        ? writeStereo(S.self, rows, from: start, to: end)
        : writeMono(S.self, rows, from: start, to: end)
    }
    for point in upTo(end, from: start) {
      write(S.self, kernel(S.self, point, samples, span), stride, frame: made &+ point)
    }
  }

  /// Every `phases`-th position has the same fraction, and therefore the same kernel. We compute
  /// two output frames with the same kernel at a time, so that we load the weights less often.
  @inline(__always)
  private func writeStereo<S: Sample>(
    _: S.Type, _ rows: SincRows<S.Real>, from start: Int, to end: Int
  ) {
    guard let pair = output(S.self, 0) else { return }
    let apart = rows.bank.phases
    var first = start
    while first < min(start &+ apart, end) {
      let dot = rows.dot(first)
      var point = first
      while point &+ apart < end {
        pair.write(dot.totals(over: rows.stereo(point, apart)), frame: made &+ point, apart)
        point &+= 2 &* apart
      }
      if point < end {
        let last = dot.over(rows.samples(point))
        pair.write(last.totals(with: last.over(rows.other(last.samples))), frame: made &+ point)
      }
      first &+= 1
    }
  }

  /// We compute four frames with the same kernel at a time, so that we load the weights less often.
  /// We compute the remaining ones two at a time.
  @inline(__always)
  private func writeMono<S: Sample>(
    _: S.Type, _ rows: SincRows<S.Real>, from start: Int, to end: Int
  ) {
    guard let base = target[0] else { return }
    let output = MonoOutput(first: base.assumingMemoryBound(to: S.self))
    let apart = rows.bank.phases
    var shared = start
    while shared &+ 4 &* apart <= end { shared &+= 4 &* apart }
    var first = start
    while first < min(start &+ apart, shared) {
      let dot = rows.dot(first)
      var point = first
      while point < shared {
        output.write(dot.totals(over: rows.mono(point, apart)), frame: made &+ point, apart)
        point &+= 4 &* apart
      }
      first &+= 1
    }
    var point = shared
    while point &+ 1 < end {
      let totals = rows.dot(point).totals(with: rows.dot(point &+ 1))
      output.write(totals.0, frame: made &+ point)
      output.write(totals.1, frame: made &+ point &+ 1)
      point &+= 2
    }
    if point < end { output.write(rows.dot(point).total, frame: made &+ point) }
  }

  /// The kernel for the first channel. `samples` covers `span`.
  @inline(__always)
  private func kernel<S: Sample>(
    _: S.Type, _ point: Int, _ samples: SampleLines<S.Real>, _ span: SampleSpan
  ) -> SincDot<S.Real> {
    let half = half(at: point)
    let weights = weights(S.Real.self, point, half)
    let outer = sinc.plan.hasCore ? half &- SincQuality.core / 2 : half
    return SincDot(
      weights: weights.all, core: weights.cores, half: half, outer: outer,
      samples: samples.from(points.offsets[point] &- half &+ 1 &- span.start))
  }

  @inline(__always)
  private func gather<S: Sample>(
    _ first: UnsafePointer<S>, _ span: SampleSpan, _ samples: SampleLines<S.Real>
  ) {
    let step = shape.samplesPerFrame
    let from = first + span.start &* step
    switch step {
    case 1: samples.fill(from, 1, span.count)
    case 2: samples.fill(from, 2, span.count)
    default: samples.fill(from, step, span.count)
    }
  }

  /// All channels have the same kernel at a point.
  @inline(__always)
  private func weights<Real: SincReal>(
    _: Real.Type, _ point: Int, _ half: Int
  ) -> SincWeights<Real> {
    let phase = points.weights[point]
    let scale = reading.isMoving ? points.scale(point) : reading.scale
    let target = sinc.kernel.weights(Real.self)
    if let exact {
      return exact.kernel(sinc.ownMemory.weights(Real.self), at: phase)
    }
    if !reading.isMoving, let own = sinc.own {
      own.interpolate(
        sinc.ownMemory.weights(Real.self), at: phase, hasCore: sinc.plan.hasCore, into: target)
    } else if scale == 1 {
      sinc.plan.plain.interpolate(
        sinc.plainMemory.weights(Real.self), at: phase, hasCore: sinc.plan.hasCore, into: target)
    } else {
      sinc.prototype.fill(target, half: half, scale: scale, phase: phase)
    }
    return target
  }

  /// Computes four channels at a time, and the remaining ones two at a time, so that we load the
  /// weights less often.
  @inline(__always)
  private func write<S: Sample>(_: S.Type, _ dot: SincDot<S.Real>, _ stride: Int, frame: Int) {
    var channel = 0
    var samples = dot.samples
    while channel &+ 3 < shape.channels {
      let (second, third) = (samples.moved(lines: stride), samples.moved(lines: 2 &* stride))
      let four = FourSamples(
        one: samples, two: second, three: third, four: samples.moved(lines: 3 &* stride))
      let totals = dot.totals(over: four)
      output(S.self, channel)?.write((totals.0, totals.1), frame: frame)
      output(S.self, channel &+ 2)?.write((totals.2, totals.3), frame: frame)
      samples = samples.moved(lines: 4 &* stride)
      channel &+= 4
    }
    while channel &+ 1 < shape.channels {
      let first = dot.over(samples)
      let totals = first.totals(with: dot.over(samples.moved(lines: stride)))
      output(S.self, channel)?.write(totals, frame: frame)
      samples = samples.moved(lines: 2 &* stride)
      channel &+= 2
    }
    if channel < shape.channels, let base = target[shape.plane(of: channel)] {
      let index = frame &* shape.samplesPerFrame &+ shape.sampleOffset(of: channel)
      base.assumingMemoryBound(to: S.self)[index] = S(nearest: dot.over(samples).total)
    }
  }

  @inline(__always)
  private func output<S: Sample>(_: S.Type, _ channel: Int) -> ChannelPair<S>? {
    guard let first = target[shape.plane(of: channel)],
      let second = target[shape.plane(of: channel &+ 1)]
    else { return nil }
    return ChannelPair(
      first: first.assumingMemoryBound(to: S.self) + shape.sampleOffset(of: channel),
      second: second.assumingMemoryBound(to: S.self) + shape.sampleOffset(of: channel &+ 1),
      step: shape.samplesPerFrame)
  }
}

/// Two channels, in which frames are `step` samples apart.
private struct ChannelPair<S: Sample> {
  let first: UnsafeMutablePointer<S>
  let second: UnsafeMutablePointer<S>
  let step: Int

  @inline(__always)
  func write(_ values: (Double, Double), frame: Int) {
    first[frame &* step] = S(nearest: values.0)
    second[frame &* step] = S(nearest: values.1)
  }

  /// Two frames, `apart` frames apart, each with both channels.
  @inline(__always)
  func write(_ values: FourTotals, frame: Int, _ apart: Int) {
    write((values.0, values.1), frame: frame)
    write((values.2, values.3), frame: frame &+ apart)
  }
}

private struct MonoOutput<S: Sample> {
  let first: UnsafeMutablePointer<S>

  @inline(__always)
  func write(_ value: Double, frame: Int) { first[frame] = S(nearest: value) }

  /// Four frames, `apart` frames apart.
  @inline(__always)
  func write(_ values: FourTotals, frame: Int, _ apart: Int) {
    write(values.0, frame: frame)
    write(values.1, frame: frame &+ apart)
    write(values.2, frame: frame &+ 2 &* apart)
    write(values.3, frame: frame &+ 3 &* apart)
  }
}

/// For one or two channels: a bank with a kernel for every position, and the samples that we apply
/// the kernels to.
private struct SincRows<Real: SincReal> {
  let bank: SincBank
  let weights: SincWeights<Real>
  let hasCore: Bool
  let points: ReadPoints
  /// The first channel, starting at frame `first`.
  let samples: SampleLines<Real>
  let first: Int
  /// The distance from the first channel to the second, in cache lines.
  let stride: Int

  /// The part of the first channel that the kernel at a point covers.
  @inline(__always)
  func samples(_ point: Int) -> SampleLines<Real> {
    samples.from(points.offsets[point] &- bank.half &+ 1 &- first)
  }

  /// Both channels for two points, `apart` points apart.
  @inline(__always)
  func stereo(_ point: Int, _ apart: Int) -> FourSamples<Real> {
    let (one, two) = (samples(point), samples(point &+ apart))
    return FourSamples(one: one, two: other(one), three: two, four: other(two))
  }

  /// The first channel for four points, `apart` points apart.
  @inline(__always)
  func mono(_ point: Int, _ apart: Int) -> FourSamples<Real> {
    FourSamples(
      one: samples(point), two: samples(point &+ apart), three: samples(point &+ 2 &* apart),
      four: samples(point &+ 3 &* apart))
  }

  /// The second channel for the same frames.
  @inline(__always)
  func other(_ samples: SampleLines<Real>) -> SampleLines<Real> { samples.moved(lines: stride) }

  /// For the first channel.
  @inline(__always)
  fileprivate func dot(_ point: Int) -> SincDot<Real> {
    let row = bank.kernel(weights, at: points.weights[point])
    let outer = hasCore ? bank.half &- SincQuality.core / 2 : bank.half
    return SincDot(
      weights: row.all, core: row.cores, half: bank.half, outer: outer, samples: samples(point))
  }
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
struct SincMemory {
  let all: UnsafeMutableRawPointer
  let cores: UnsafeMutableRawPointer

  /// Takes a piece from the front of `memory`, and advances it. There's room for `rows` kernels
  /// with `count` weights in total, of `realBytes` bytes each.
  init(
    rows: Int, count: Int, _ realBytes: Int, allocatedFrom memory: inout UnsafeMutableRawPointer
  ) {
    cores = memory
    all = memory + rows &* SincQuality.core &* MemoryLayout<Double>.stride
    let end = all + count &* realBytes
    memory += Self.bytes(rows: rows, count: count, realBytes)
    timedsp_fence(end, memory - end)
  }

  /// How many bytes `init` takes, including a fence of 16 bytes. If `count` is a multiple of 4,
  /// it's a multiple of 16.
  static func bytes(rows: Int, count: Int, _ realBytes: Int) -> Int {
    rows &* SincQuality.core &* MemoryLayout<Double>.stride &+ count &* realBytes &+ 16
  }

  @inline(__always)
  func weights<Real: SincReal>(_: Real.Type) -> SincWeights<Real> {
    SincWeights(
      all: all.assumingMemoryBound(to: Real.self),
      cores: cores.assumingMemoryBound(to: Double.self))
  }
}
