// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// Applies kernels to samples. The compiler specializes the generic code for each sample type.

extension Sinc {
  /// In all planes, from frame `made` of `target` on. `reading` describes the positions. `source`
  /// must contain every input frame that the kernels cover. Call `prepare` for the points first.
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
  /// A kernel for every position, or `nil` if the factor is changing, or if the positions have too
  /// many different fractions.
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
  /// A kernel covers this many frames on either side, unless the factor changes.
  let half: Int
  /// With a kernel for every position of the run.
  let exact: SincBank?

  /// In groups whose input fits into `sinc.samples`.
  @inline(__always)
  func interpolate<S: Sample>(_: S.Type, _ count: Int) {
    var done = 0
    while done < count {
      var span = SampleSpan(points.offsets[done], half(at: done))
      var end = done &+ 1
      // positions never decrease, so first and last position tell us if all input fits
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

  /// A kernel covers this many frames on either side.
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

  /// Every `phases`-th position has the same fraction, and so the same kernel. If it's long, we
  /// compute four output frames with the same kernel at a time, otherwise two. So we load the
  /// weights less often.
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
      while dot.hasLongKernel && point &+ 3 &* apart < end {
        let (front, back) = dot.totals(
          over: rows.stereo(point, apart), and: rows.stereo(point &+ 2 &* apart, apart))
        pair.write(front, frame: made &+ point, apart)
        pair.write(back, frame: made &+ point &+ 2 &* apart, apart)
        point &+= 4 &* apart
      }
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

  /// If the kernel is long, we compute eight frames with the same kernel at a time, otherwise four.
  /// So we load the weights less often. What's left goes two at a time.
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
      while dot.hasLongKernel && point &+ 4 &* apart < shared {
        let next = point &+ 4 &* apart
        let (front, back) = dot.totals(over: rows.mono(point, apart), and: rows.mono(next, apart))
        output.write(front, frame: made &+ point, apart)
        output.write(back, frame: made &+ next, apart)
        point &+= 8 &* apart
      }
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

  /// For the first channel. `samples` are those of `span`.
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

  /// Four channels at a time, and what's left two at a time, so that we load the weights less
  /// often.
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

/// Frames are `step` samples apart.
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

/// For one or two channels, a bank with a kernel for every position, and the samples to which we
/// apply the kernels.
private struct SincRows<Real: SincReal> {
  let bank: SincBank
  let weights: SincWeights<Real>
  let hasCore: Bool
  let points: ReadPoints
  /// The first channel, from frame `first` on.
  let samples: SampleLines<Real>
  let first: Int
  /// From the first channel to the second, in cache lines.
  let stride: Int

  /// What the kernel at a point covers of the first channel.
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
  func dot(_ point: Int) -> SincDot<Real> {
    let row = bank.kernel(weights, at: points.weights[point])
    let outer = hasCore ? bank.half &- SincQuality.core / 2 : bank.half
    return SincDot(
      weights: row.all, core: row.cores, half: bank.half, outer: outer, samples: samples(point))
  }
}
