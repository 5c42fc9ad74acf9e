// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension SpeedReader {
  /// Stops when `sink` is full, when `source` lacks a frame, or at an edge.
  mutating func read(_ source: FrameSource, into sink: inout FrameSink) {
    guard let target = sink.planes else { return }
    while sink.room > 0, readRun(source, target, &sink) {}
  }

  /// Returns `false` if the run is empty. This is a function of its own, because together with the
  /// loop, the compiler of Embedded Swift never ends.
  @inline(never)
  private mutating func readRun(
    _ source: FrameSource, _ target: UnsafePointer<UnsafeMutableRawPointer?>,
    _ sink: inout FrameSink
  ) -> Bool {
    let run = place(runLimit(sink.room), source)
    if run.count == 0 {
      if run.edge != 0 { stop(at: run.edge) }
      return false
    }
    if isSilent {
      clear(run.count, target, made: sink.made)
    } else {
      render(run, source, target, made: sink.made)
      fade.apply(run.count, isRest: isRest, shape, to: target, made: sink.made)
    }
    fade.advance(run.count, isRest: isRest)
    playhead.advance(UInt64(truncatingIfNeeded: run.count))
    sink.made &+= run.count
    return true
  }

  /// The max length of a run. All of it is in the same move or at the same settled speed, and
  /// either all is silent or nothing.
  private func runLimit(_ room: Int) -> Int {
    var limit = min(room, ReadPoints.capacity)
    if !playhead.isSettled {
      limit = Int(truncatingIfNeeded: min(UInt64(truncatingIfNeeded: limit), playhead.framesLeft))
    } else if isRest, fade.level > 0 {
      limit = min(limit, fade.level)
    }
    return limit
  }

  /// Puts at most `limit` positions into `points`. Stops when `source` lacks the frames for one, or
  /// at an edge.
  @inline(never)
  private func place(_ limit: Int, _ source: FrameSource) -> SpeedRun {
    var run = SpeedRun(base: playhead.position().high)
    let (isSilent, isCopy) = (isSilent, isCopy)
    while run.count < limit {
      let ahead = UInt64(truncatingIfNeeded: run.count)
      let position = playhead.position(ahead)
      let speed = playhead.speed(ahead)
      run.edge = edge(at: position, speed)
      if run.edge != 0 { break }
      if !isSilent {
        let scale = speed.kernelScale
        let offset = Int(truncatingIfNeeded: position.high &- run.base)
        let span =
          isCopy
          ? SampleSpan(start: offset, end: offset &+ 1)
          : SampleSpan(offset, settings.sinc.half(scale: scale))
        let all = run.count == 0 ? span : run.span.joined(with: span)
        let inner = inner(all, run.base)
        guard inner.isEmpty || inner.first >= source.first && inner.end <= source.end,
          run.count == 0 || all.count <= margin.capacity || !inner.isCut
        else { break }
        run.span = all
        points.offsets[run.count] = offset
        points.weights[run.count] = position.fraction
        points.factors[run.count] = scale
      }
      run.count &+= 1
    }
    return run
  }

  /// If a position is beyond an edge in the direction of the speed, that edge: 1 or -1. Otherwise
  /// 0.
  private func edge(at position: Wide, _ speed: Wide) -> Int {
    if speed.high >= 0 {
      return position.high >= end && speed != .zero ? 1 : 0
    }
    return position.precedes(Wide(high: start &- 1, low: 1)) ? -1 : 0
  }

  private func inner(_ span: SampleSpan, _ base: Int64) -> InnerFrames {
    let (first, last) = (
      base &+ Int64(truncatingIfNeeded: span.start),
      base &+ Int64(truncatingIfNeeded: span.end)
    )
    return InnerFrames(
      first: max(first, start), end: min(last, end), isCut: first < start || last > end)
  }

  private mutating func render(
    _ run: SpeedRun, _ source: FrameSource, _ target: UnsafePointer<UnsafeMutableRawPointer?>,
    made: Int
  ) {
    let inner = inner(run.span, run.base)
    let source =
      inner.isCut
      ? margin.source(
        run.base &+ Int64(truncatingIfNeeded: run.span.start),
        run.base &+ Int64(truncatingIfNeeded: run.span.end), inner: (inner.first, inner.end),
        from: source)
      : source
    points.shift(run.count, by: Int(truncatingIfNeeded: run.base &- source.first))
    if isCopy { return copy(run.count, source, target, made: made) }
    let reading = playhead.reading
    sinc.prepare(points, run.count, reading)
    sinc.interpolate(points, run.count, reading, shape, from: source, to: target, made: made)
  }

  private func copy(
    _ count: Int, _ source: FrameSource, _ target: UnsafePointer<UnsafeMutableRawPointer?>,
    made: Int
  ) {
    for plane in upTo(shape.planes) {
      if let from = source.planes[plane], let to = target[plane] {
        points.interpolate(
          count, TIMEDSP_NEAREST, shape, from: from, to: to + made &* shape.frameBytes)
      }
    }
  }

  private func clear(
    _ count: Int, _ target: UnsafePointer<UnsafeMutableRawPointer?>, made: Int
  ) {
    for plane in upTo(shape.planes) {
      if let to = target[plane] {
        timedsp_clear(to + made &* shape.frameBytes, count &* shape.frameBytes)
      }
    }
  }

  /// What the next `frames` output frames need of the source. If that's nothing, both numbers are
  /// equal.
  func needs(_ frames: Int) -> (first: Int64, end: Int64) {
    let base = playhead.position().high
    let frames = UInt64(truncatingIfNeeded: max(frames, 0))
    let moving = playhead.isSettled ? 0 : min(frames, playhead.framesLeft)
    var settled = frames &- moving
    if RestFade.isRest(playhead.finalSpeed.value) {
      var later = fade
      later.advance(Int(truncatingIfNeeded: moving), isRest: false)
      settled = min(settled, UInt64(truncatingIfNeeded: later.level))
    }
    var span: SampleSpan?
    var ahead: UInt64 = 0
    while ahead < moving &+ settled {
      let more = needed(ahead, base)
      span = span?.joined(with: more) ?? more
      // at a settled speed, the first and the last frame are the outermost
      ahead =
        ahead < moving || ahead == moving &+ settled &- 1
        ? ahead &+ 1
        : moving &+ settled &- 1
    }
    guard let span else { return (base, base) }
    let inner = inner(span, base)
    return inner.isEmpty ? (base, base) : (inner.first, inner.end)
  }

  /// What the output frame `ahead` frames after the next one needs, relative to `base`.
  private func needed(_ ahead: UInt64, _ base: Int64) -> SampleSpan {
    let offset = Int(truncatingIfNeeded: playhead.position(ahead).high &- base)
    if ahead >= playhead.framesLeft, playhead.finalSpeed.isUnit {
      return SampleSpan(start: offset, end: offset &+ 1)
    }
    return SampleSpan(offset, settings.sinc.half(scale: playhead.speed(ahead).kernelScale))
  }
}

private struct SpeedRun {
  /// Offsets are relative to this frame.
  let base: Int64
  var count = 0
  var span = SampleSpan(start: 0, end: 0)
  /// The run ends at this edge, unless it's 0.
  var edge = 0
}

private struct InnerFrames {
  let first: Int64
  let end: Int64
  let isCut: Bool

  var isEmpty: Bool { first >= end }
}

extension Wide {
  fileprivate var kernelScale: Double {
    1 / min(max(value.magnitude, 1), Playhead.maxSpeed)
  }
}

extension Playhead {
  fileprivate var reading: Reading {
    guard isSettled else { return Reading(scale: 1, isMoving: true) }
    return Reading(
      scale: finalSpeed.kernelScale, numerator: settled.phases, offset: phaseOffset)
  }
}

extension ReadPoints {
  fileprivate func shift(_ count: Int, by frames: Int) {
    for point in upTo(count) {
      offsets[point] &+= frames
    }
  }
}
