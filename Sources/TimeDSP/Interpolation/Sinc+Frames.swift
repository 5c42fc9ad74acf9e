// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// All kernels are applied to samples here. The generic code below is compiled separately for each
// sample type.

extension Sinc {
  /// Computes `count` frames of all planes, and writes them to `target`, beginning at frame `made`.
  /// `reading` describes the positions. `source` must contain every frame that the kernels cover.
  /// `prepare` must have been called for the points.
  func interpolate(
    _ points: ReadPoints, _ count: Int, _ reading: Reading, _ shape: AudioShape,
    from source: FrameSource, to target: UnsafePointer<UnsafeMutableRawPointer?>, made: Int
  ) {
    let run = SincRun(
      sinc: self, points: points, reading: reading, shape: shape, source: source.planes,
      target: target, made: made, half: plan.quality.half(scale: reading.scale),
      exact: exact(reading))
    switch shape.format {
    case TIMEDSP_S16: run.interpolate(Int16.self, count)
    case TIMEDSP_S32: run.interpolate(Int32.self, count)
    case TIMEDSP_F32: run.interpolate(Float.self, count)
    default: run.interpolate(Double.self, count)
    }
  }
}

extension Sinc {
  /// The bank that has a kernel for every exact position.
  private func exact(_ reading: Reading) -> SincBank? {
    guard let own, !own.isFine, !reading.isMoving else { return nil }
    return own
  }
}

/// Frames to be computed one after the other.
private struct SincRun {
  let sinc: Sinc
  let points: ReadPoints
  let reading: Reading
  let shape: AudioShape
  let source: UnsafePointer<UnsafeRawPointer?>
  let target: UnsafePointer<UnsafeMutableRawPointer?>
  let made: Int
  /// Number of frames on either side that a kernel covers. It is not used while the factor changes.
  let half: Int
  /// The kernels, if all of them are ready.
  let exact: SincBank?

  /// Computes the first `count` frames, in groups that fit into the working memory.
  @inline(__always)
  func interpolate<S: Sample>(_: S.Type, _ count: Int) {
    var done = 0
    while done < count {
      var span = SampleSpan(points.offsets[done], half(at: done))
      var end = done &+ 1
      // positions never decrease, so the last one shows whether all frames fit
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

  /// Number of frames on either side that the kernel of a point covers.
  @inline(__always)
  private func half(at point: Int) -> Int {
    reading.isMoving ? sinc.plan.quality.half(scale: points.scale(point)) : half
  }

  @inline(__always)
  private func interpolate<S: Sample>(
    _: S.Type, from start: Int, to end: Int, _ span: SampleSpan
  ) {
    let samples = sinc.samples.assumingMemoryBound(to: S.Real.self)
    var channel = 0
    while channel < shape.channels {
      if let base = source[shape.plane(of: channel)] {
        let first = base.assumingMemoryBound(to: S.self) + shape.place(of: channel)
        gather(first, span, samples + channel &* span.stride)
      }
      channel &+= 1
    }
    // The sample to which offsets refer; `-` would trap for the lowest number.
    let origin = samples + (0 &- span.start)
    if let exact, shape.channels <= 2 {
      let rows = SincRows(
        bank: exact, weights: sinc.ownMemory.weights(S.Real.self), hasCore: sinc.plan.hasCore,
        points: points, samples: origin)
      return shape.channels == 2
        ? writeStereo(S.self, rows, from: start, to: end, span.stride)
        : writeMono(S.self, rows, from: start, to: end)
    }
    var point = start
    while point < end {
      write(S.self, kernel(S.self, point, origin), span.stride, frame: made &+ point)
      point &+= 1
    }
  }

  /// Writes two channels, which are computed together.
  @inline(__always)
  private func writeStereo<S: Sample>(
    _: S.Type, _ rows: SincRows<S.Real>, from start: Int, to end: Int, _ stride: Int
  ) {
    guard let pair = output(S.self, 0) else { return }
    var point = start
    while point < end {
      let dot = rows.dot(point)
      pair.write(dot.sums(with: dot.moved(by: stride)), frame: made &+ point)
      point &+= 1
    }
  }

  /// Writes one channel, of which two frames are computed together.
  @inline(__always)
  private func writeMono<S: Sample>(
    _: S.Type, _ rows: SincRows<S.Real>, from start: Int, to end: Int
  ) {
    guard let base = target[0] else { return }
    let output = base.assumingMemoryBound(to: S.self) + made
    let pair = ChannelPair(first: output, second: output + 1, step: 1)
    var point = start
    while point &+ 1 < end {
      pair.write(rows.dot(point).sums(with: rows.dot(point &+ 1)), frame: point)
      point &+= 2
    }
    if point < end { output[point] = S(nearest: rows.dot(point).sum) }
  }

  /// Applies the kernel for a point to the first channel; `samples` is the sample to which offsets
  /// refer.
  @inline(__always)
  private func kernel<S: Sample>(
    _: S.Type, _ point: Int, _ samples: UnsafePointer<S.Real>
  ) -> SincDot<S.Real> {
    let half = half(at: point)
    let weights = weights(S.Real.self, point, half)
    let outer = sinc.plan.hasCore ? half &- SincQuality.core / 2 : half
    return SincDot(
      weights: weights.all, core: weights.cores, half: half, outer: outer,
      samples: samples + (points.offsets[point] &- half &+ 1))
  }

  /// Copies the samples of a channel that are in `span`.
  @inline(__always)
  private func gather<S: Sample>(
    _ first: UnsafePointer<S>, _ span: SampleSpan, _ samples: UnsafeMutablePointer<S.Real>
  ) {
    switch shape.samplesPerFrame {
    case 1: gather(first, 1, span, samples)
    case 2: gather(first, 2, span, samples)
    default: gather(first, shape.samplesPerFrame, span, samples)
    }
  }

  @inline(__always)
  private func gather<S: Sample>(
    _ first: UnsafePointer<S>, _ step: Int, _ span: SampleSpan,
    _ samples: UnsafeMutablePointer<S.Real>
  ) {
    let from = first + span.start &* step
    var index = 0
    while index < span.count {
      samples[index] = S.Real(from[index &* step].exact)
      index &+= 1
    }
  }

  /// The weights for a point, which all channels share.
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

  /// Computes and writes a frame, two channels at a time.
  @inline(__always)
  private func write<S: Sample>(_: S.Type, _ dot: SincDot<S.Real>, _ stride: Int, frame: Int) {
    var channel = 0
    while channel &+ 1 < shape.channels {
      let first = dot.moved(by: channel &* stride)
      if let pair = output(S.self, channel) {
        pair.write(first.sums(with: first.moved(by: stride)), frame: frame)
      }
      channel &+= 2
    }
    if channel < shape.channels, let base = target[shape.plane(of: channel)] {
      let place = frame &* shape.samplesPerFrame &+ shape.place(of: channel)
      base.assumingMemoryBound(to: S.self)[place] = S(nearest: dot.moved(by: channel &* stride).sum)
    }
  }

  /// Address of the samples of `channel` and of the next channel.
  @inline(__always)
  private func output<S: Sample>(_: S.Type, _ channel: Int) -> ChannelPair<S>? {
    guard let first = target[shape.plane(of: channel)],
      let second = target[shape.plane(of: channel &+ 1)]
    else { return nil }
    return ChannelPair(
      first: first.assumingMemoryBound(to: S.self) + shape.place(of: channel),
      second: second.assumingMemoryBound(to: S.self) + shape.place(of: channel &+ 1),
      step: shape.samplesPerFrame)
  }
}

/// Two output channels, and the distance between frames.
private struct ChannelPair<S: Sample> {
  let first: UnsafeMutablePointer<S>
  let second: UnsafeMutablePointer<S>
  let step: Int

  @inline(__always)
  func write(_ values: (Double, Double), frame: Int) {
    first[frame &* step] = S(nearest: values.0)
    second[frame &* step] = S(nearest: values.1)
  }
}

/// The kernels of an exact bank, and the samples to which they are applied.
private struct SincRows<Real: SincReal> {
  let bank: SincBank
  let weights: SincWeights<Real>
  let hasCore: Bool
  let points: ReadPoints
  /// The sample of the first channel to which offsets refer.
  let samples: UnsafePointer<Real>

  /// Applies the kernel for a point to the first channel.
  @inline(__always)
  func dot(_ point: Int) -> SincDot<Real> {
    let row = bank.kernel(weights, at: points.weights[point])
    let outer = hasCore ? bank.half &- SincQuality.core / 2 : bank.half
    return SincDot(
      weights: row.all, core: row.cores, half: bank.half, outer: outer,
      samples: samples + (points.offsets[point] &- bank.half &+ 1))
  }
}
