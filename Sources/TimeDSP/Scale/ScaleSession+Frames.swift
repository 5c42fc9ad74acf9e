// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The control binding of the factor, if any, is read this many times per second. A sudden change
/// of the factor is spread over the time between two readings: it sounds immediate, but does not
/// click.
private let movesPerSecond: UInt32 = 200

/// A buffer is scaled in parts, and changed settings are applied before each part. The output of a
/// part lasts a quarter of the buffer's duration, but at least 1 / `mostPiecesPerSecond` and at
/// most 1 / `fewestPiecesPerSecond` seconds.
private let mostPiecesPerSecond: UInt32 = 100
private let fewestPiecesPerSecond: UInt32 = 10

// Scaling of the frames of a buffer while factor, pitch and rate change.
extension ScaleSession {
  // MARK: A buffer

  mutating func scaleBuffer() -> Bool {
    steps.push(.reportLatency)
    guard !isControlled else {
      startPieces()
      return false
    }
    _ = notePosition()
    steps.push(.passBuffer)
    steps.push(.stayInSegment)
    if isAsked { steps.push(.followChanges) }
    return false
  }

  private mutating func startPieces() {
    consumed = 0
    steps.push(.cutBuffer)
  }

  mutating func passBuffer() -> Bool {
    startPieces()
    return pass()
  }

  /// Requests that the whole buffer is passed through, if possible. Otherwise returns `false`, and
  /// the next step scales the buffer.
  func pass() -> Bool {
    guard let chain = work.pointee.chain, chain.pointee.mayPass else { return false }
    action.pointee.frames = buffer.frames
    action.pointee.silent = buffer.silent
    return ask(TIMESCALE_PASS)
  }

  /// Begins the next part of the buffer. If a curve sets the factor, the boundaries of the parts do
  /// not depend on how the stream is divided into buffers.
  mutating func cutBuffer() -> Bool {
    guard consumed < buffer.frames, let chain = work.pointee.chain else { return false }
    source = TIMESCALE_FROM_BUFFER
    if isControlled {
      steps.push(.cutStep)
      if consumed == 0 { steps.push(.stayInSegment) }
      guard wayIntoStep(chain) == 0 else { return false }
      movesByCurve = true
      rateHasChanged = false
      return moveAsAsked()
    }
    steps.push(.cutPiece)
    return isAsked && followChanges()
  }

  /// Number of input frames over which a change of the factor is spread.
  private var stepFrames: Int { Int(truncatingIfNeeded: max(rate / movesPerSecond, 1)) }

  /// Number of frames since a curve was last read.
  private func wayIntoStep(_ chain: UnsafeMutablePointer<Chain>) -> Int {
    let step = UInt64(truncatingIfNeeded: stepFrames)
    let received = UInt64(truncatingIfNeeded: chain.pointee.received)
    return Int(truncatingIfNeeded: received &- received.quotient(by: step) &* step)
  }

  mutating func cutStep() -> Bool {
    guard let chain = work.pointee.chain else { return false }
    cut(min(buffer.frames &- consumed, stepFrames &- wayIntoStep(chain)), chain)
    return false
  }

  /// Sets the length of the next part. The last part of a buffer may be up to 1.5 times as long as
  /// the other parts.
  mutating func cutPiece() -> Bool {
    guard let chain = work.pointee.chain else { return false }
    let rest = buffer.frames &- consumed
    let fewest = Int(truncatingIfNeeded: rate / mostPiecesPerSecond)
    let most = Int(truncatingIfNeeded: rate / fewestPiecesPerSecond)
    let wanted = min(max(buffer.frames &>> 2, fewest), most)
    let count = 1 &+ Int(truncatingIfNeeded: timedsp_whole_part(Double(wanted) / times.factor))
    cut(rest < count &+ count &>> 1 ? rest : count, chain)
    return false
  }

  /// Sets the length of the next part to `count` frames. If the buffer is silent and the output
  /// becomes silent within the part, the part ends where the output becomes silent.
  private mutating func cut(_ count: Int, _ chain: UnsafeMutablePointer<Chain>) {
    let before = Int(truncatingIfNeeded: chain.pointee.framesBeforeGap)
    left = before > 0 && buffer.silent != 0 ? min(count, before) : count
    isGap = chain.pointee.isGap(left, isSilent: buffer.silent != 0)
    steps.push(.cutBuffer)
    steps.push(.work)
  }

  // MARK: Work

  /// Scales as much of the current part as the output segment and the room for the output allow.
  mutating func workOnPiece() -> Bool {
    guard let chain = work.pointee.chain else { return false }
    let now = work.pointee.clock.nextNs
    if times.advance(to: now) {
      steps.push(.work)
      return announce()
    }
    let room = UInt64(
      truncatingIfNeeded: chain.pointee.room(for: Int64(truncatingIfNeeded: left)))
    let capacity = min(room, times.framesLeft(from: now, rate: rate))
    action.pointee.source = source
    action.pointee.first = UInt64(truncatingIfNeeded: consumed)
    action.pointee.frames = left
    action.pointee.capacity = Int(truncatingIfNeeded: capacity)
    action.pointee.silent = isGap ? 1 : 0
    return ask(TIMESCALE_PROCESS)
  }

  mutating func finishWork() {
    guard hasSucceeded else {
      fail(outcome)
      return
    }
    let used = action.pointee.frames_used
    consumed &+= used
    left &-= used
    if action.pointee.more != 0 { steps.push(.work) }
  }

  /// Reports the latency if it has changed. While a curve sets the factor, the latency may grow in
  /// many small steps. Each growth is then reported as twice the latency, so that there are fewer
  /// reports.
  mutating func reportLatency() -> Bool {
    guard let chain = work.pointee.chain else { return false }
    let latency = UInt64(truncatingIfNeeded: chain.pointee.latency)
    let before = latencyNs
    latencyNs = timeNsCovering(latency, rate: max(rate, 1))
    if isControlled, before > 0 { latencyNs = latencyNs > before ? 2 &* latencyNs : before }
    action.pointee.time_ns = latencyNs
    return latencyNs != before && ask(TIMESCALE_LATENCY)
  }
}

// Changes.
extension ScaleSession {
  /// Applies changed settings.
  mutating func followChanges() -> Bool {
    isAsked = false
    rateHasChanged = followRate()
    movesByCurve = false
    steps.push(.stayInSegment)
    steps.push(.moveAsAsked)
    return configureChain()
  }

  /// Changes factor and pitch of the running chain to the requested values.
  mutating func moveAsAsked() -> Bool {
    if !movesByCurve, !hasSucceeded {  // with a curve, the next part reports a failure
      _ = steps.pop()
      return false
    }
    let from = notePosition()
    steps.push(.move)
    let step = UInt64(truncatingIfNeeded: stepFrames)
    return movesByCurve
      && readCurves(at: from &+ timeNs(ofHalfFrames: step &<< 1, rate: max(rate, 1)))
  }

  mutating func move() -> Bool {
    let factor = times.effective(wanted.factor)
    var frames = UInt64(truncatingIfNeeded: stepFrames)
    // a sudden change takes at least `stepFrames` frames, both of the input and of the output
    if !movesByCurve, factor != times.factor {
      let speed = max(1, times.meanSpeed(to: factor))
      frames = UInt64(truncatingIfNeeded: timedsp_whole_part(Double(frames) * speed))
    }
    steps.push(.moveTimes)
    return prepare(.move(factor, wanted.pitch, frames: frames))
  }

  /// Makes the mapping of times follow a change of the chain's factor.
  mutating func moveTimes() -> Bool {
    guard let chain = work.pointee.chain, case .move(let factor, _, _) = work.pointee.preparation
    else { return false }
    let clock = work.pointee.clock
    let pair = pair(chain.pointee.lastMove, chain)
    // the segment after a rate change begins with the nearest frame
    if rateHasChanged {
      let ahead = frame(atNs: pair.out &- clock.nextNs, rate: rate)
      times.begin(at: clock.time(after: UInt64(truncatingIfNeeded: ahead)))
    }
    if factor == times.factor { return false }
    let wayNs = Double(work.pointee.movedFrames) * (Double(secondNs) / Double(rate))
    times.move(at: pair, to: factor, within: wayNs)
    // with a curve, the end of the output cannot be predicted
    let isEndless = movesByCurve && times.output.applied_rate > 0
    times.newest.stop = isEndless ? noTime : stopNs(chain)
    stopMoved = true
    return !movesByCurve && ask(TIMESCALE_DURATION_CHANGED)
  }

  /// The time at which the output of the input segment will end.
  private func stopNs(_ chain: UnsafeMutablePointer<Chain>) -> UInt64 {
    let stop = times.input.stop
    guard stop != noTime else { return noTime }
    let received = UInt64(truncatingIfNeeded: chain.pointee.received)
    let at = runStartNs &+ timeNs(ofHalfFrames: received &<< 1, rate: max(rate, 1))
    let due = try? chain.pointee.framesDue(
      after: framesCovering(stop &- min(at, stop), rate: rate))
    return work.pointee.clock.time(after: due ?? 0)
  }

  /// Records the input time and the output time at which a change would begin now, and returns the
  /// input time. A change begins after all frames that are in the stretcher. This position may be
  /// between two frames, so the times are not rounded to frames.
  mutating func notePosition() -> UInt64 {
    guard let chain = work.pointee.chain else { return noTime }
    let pair = pair(chain.pointee.movePosition, chain)
    times.note(pair, toleranceNs: frameNs &+ 1)
    return pair.in
  }

  /// The times that correspond to a position in the chain.
  private func pair(
    _ position: (input: Double, output: Double), _ chain: UnsafeMutablePointer<Chain>
  ) -> TimePair {
    let held = max(position.output - Double(chain.pointee.made), 0)
    let rate = max(rate, 1)
    return TimePair(
      in: runStartNs &+ timeNs(ofFrames: position.input, rate: rate),
      out: work.pointee.clock.nextNs &+ timeNs(ofFrames: held, rate: rate))
  }

  /// Sends the next segment if the output has reached its start. Sends the current segment again if
  /// its stop is outdated.
  mutating func stayInSegment() -> Bool {
    if times.advance(to: work.pointee.clock.nextNs) {
      steps.push(.stayInSegment)
      return announce()
    }
    guard stopMoved, times.isOutdated(sentStopNs, frameNs: frameNs) else { return false }
    var segment = times.output
    if segment.applied_rate > 0 { segment.stop = noTime }
    return send(segment)
  }
}
