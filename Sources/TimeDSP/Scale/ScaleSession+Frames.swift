// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A curve is read this many times a second, and a jump of the factor lasts as long: short enough
/// to seem immediate, long enough not to click.
private let movesPerSecond: UInt32 = 200

/// A buffer is scaled in pieces that last a quarter of its time, but no less and no more than a
/// second divided by this. Changes are applied before each: often enough to act immediately, seldom
/// enough that a piece costs little.
private let mostPiecesPerSecond: UInt32 = 100
private let fewestPiecesPerSecond: UInt32 = 10

// How the frames of a buffer are scaled while factor, pitch and rate change.
extension ScaleSession {
  // MARK: A buffer

  mutating func scaleBuffer() -> Bool {
    steps.push(.reportLatency)
    guard !isControlled else {
      startPieces()
      return false
    }
    _ = notePlace()
    steps.push(.passBuffer)
    steps.push(.stayInSegment)
    if isAsked { steps.push(.followChanges) }
    return false
  }

  private mutating func startPieces() {
    taken = 0
    steps.push(.cutBuffer)
  }

  mutating func passBuffer() -> Bool {
    startPieces()
    return pass()
  }

  /// Passes all of the buffer, if that may work. The next step is for when it does not.
  func pass() -> Bool {
    guard let chain = work.pointee.chain, chain.pointee.mayPass else { return false }
    action.pointee.frames = buffer.frames
    action.pointee.silent = buffer.silent
    return ask(TIMESCALE_PASS)
  }

  /// Cuts the next piece from the buffer. Under a curve, pieces do not depend on how the stream is
  /// cut into buffers.
  mutating func cutBuffer() -> Bool {
    guard taken < buffer.frames, let chain = work.pointee.chain else { return false }
    source = TIMESCALE_FROM_BUFFER
    if isControlled {
      steps.push(.cutStep)
      if taken == 0 { steps.push(.stayInSegment) }
      guard wayIntoStep(chain) == 0 else { return false }
      movesByCurve = true
      rateHasChanged = false
      return moveAsAsked()
    }
    steps.push(.cutPiece)
    return isAsked && followChanges()
  }

  /// Frames of the input within which the factor moves.
  private var stepFrames: Int { Int(truncatingIfNeeded: max(rate / movesPerSecond, 1)) }

  private func wayIntoStep(_ chain: UnsafeMutablePointer<Chain>) -> Int {
    let step = UInt64(truncatingIfNeeded: stepFrames)
    let received = UInt64(truncatingIfNeeded: chain.pointee.received)
    return Int(truncatingIfNeeded: received &- received.quotient(by: step) &* step)
  }

  mutating func cutStep() -> Bool {
    guard let chain = work.pointee.chain else { return false }
    cut(min(buffer.frames &- taken, stepFrames &- wayIntoStep(chain)), chain)
    return false
  }

  /// The last piece is up to half as long again.
  mutating func cutPiece() -> Bool {
    guard let chain = work.pointee.chain else { return false }
    let rest = buffer.frames &- taken
    let fewest = Int(truncatingIfNeeded: rate / mostPiecesPerSecond)
    let most = Int(truncatingIfNeeded: rate / fewestPiecesPerSecond)
    let wanted = min(max(buffer.frames &>> 2, fewest), most)
    let count = 1 &+ Int(truncatingIfNeeded: timedsp_whole_part(Double(wanted) / times.factor))
    cut(rest < count &+ count &>> 1 ? rest : count, chain)
    return false
  }

  /// The next piece is `count` frames, or fewer, up to the point from which all output is silence.
  private mutating func cut(_ count: Int, _ chain: UnsafeMutablePointer<Chain>) {
    let before = Int(truncatingIfNeeded: chain.pointee.framesBeforeGap)
    left = before > 0 && buffer.silent != 0 ? min(count, before) : count
    isGap = chain.pointee.isGap(left, isSilent: buffer.silent != 0)
    steps.push(.cutBuffer)
    steps.push(.work)
  }

  // MARK: Work

  /// Makes the output of the current piece, as far as possible.
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
    action.pointee.first = UInt64(truncatingIfNeeded: taken)
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
    taken &+= used
    left &-= used
    if action.pointee.more != 0 { steps.push(.work) }
  }

  /// Under a curve the kernel grows again and again. So announce a generous latency then: the
  /// application is not notified each time.
  mutating func reportLatency() -> Bool {
    guard let chain = work.pointee.chain else { return false }
    let lookahead = UInt64(truncatingIfNeeded: chain.pointee.lookahead)
    let before = latencyNs
    latencyNs = timeNsCovering(lookahead, rate: max(rate, 1))
    if isControlled, before > 0 { latencyNs = latencyNs > before ? 2 &* latencyNs : before }
    action.pointee.time_ns = latencyNs
    return latencyNs != before && ask(TIMESCALE_LATENCY)
  }
}

// Changes.
extension ScaleSession {
  /// Applies settings that have changed since the last piece of a buffer.
  mutating func followChanges() -> Bool {
    isAsked = false
    rateHasChanged = followRate()
    movesByCurve = false
    steps.push(.stayInSegment)
    steps.push(.moveAsAsked)
    return open()
  }

  /// A running stream continues with the requested factor and pitch.
  mutating func moveAsAsked() -> Bool {
    if !movesByCurve, !hasSucceeded {  // the next piece reports it
      _ = steps.pop()
      return false
    }
    let from = notePlace()
    steps.push(.move)
    let step = UInt64(truncatingIfNeeded: stepFrames)
    return movesByCurve
      && readCurves(at: from &+ timeNs(ofHalfFrames: step &<< 1, rate: max(rate, 1)))
  }

  mutating func move() -> Bool {
    let factor = times.effective(wanted.factor)
    var frames = UInt64(truncatingIfNeeded: stepFrames)
    // a leap lasts that many frames of the output, if these are more
    if !movesByCurve, factor != times.factor {
      let speed = max(1, times.meanSpeed(to: factor))
      frames = UInt64(truncatingIfNeeded: timedsp_whole_part(Double(frames) * speed))
    }
    steps.push(.moveTimes)
    return prepare(.move(factor, wanted.pitch, frames: frames))
  }

  /// The times move as the chain does.
  mutating func moveTimes() -> Bool {
    guard let chain = work.pointee.chain, case .move(let factor, _, _) = work.pointee.preparation
    else { return false }
    let clock = work.pointee.clock
    let place = pair(chain.pointee.lastMove, chain)
    // The segment begins with the nearest frame.
    if rateHasChanged {
      let ahead = frame(atNs: place.out &- clock.nextNs, rate: rate)
      times.begin(at: clock.time(after: UInt64(truncatingIfNeeded: ahead)))
    }
    if factor == times.factor { return false }
    let wayNs = Double(work.pointee.movedFrames) * (Double(secondNs) / Double(rate))
    times.move(at: place, to: factor, within: wayNs)
    // Under a curve the end is not known.
    let isEndless = movesByCurve && times.output.applied_rate > 0
    times.newest.stop = isEndless ? noTime : stopNs(chain)
    stopMoved = true
    return !movesByCurve && ask(TIMESCALE_DURATION_CHANGED)
  }

  /// The end of the output.
  private func stopNs(_ chain: UnsafeMutablePointer<Chain>) -> UInt64 {
    let stop = times.input.stop
    guard stop != noTime else { return noTime }
    let received = UInt64(truncatingIfNeeded: chain.pointee.received)
    let at = runStartNs &+ timeNs(ofHalfFrames: received &<< 1, rate: max(rate, 1))
    let due = try? chain.pointee.framesDue(
      after: framesCovering(stop &- min(at, stop), rate: rate))
    return work.pointee.clock.time(after: due ?? 0)
  }

  /// Records where the next change would begin: with the next output frame, or after everything
  /// that the stretcher holds, which may be inside a frame. All times from there on follow these
  /// two, so that neither is rounded to a frame. Returns the time of the input.
  mutating func notePlace() -> UInt64 {
    guard let chain = work.pointee.chain else { return noTime }
    let place = pair(chain.pointee.movePlace, chain)
    times.note(place, toleranceNs: frameNs &+ 1)
    return place.in
  }

  /// The times of a frame of the input, and of the frames of the output before it.
  private func pair(
    _ place: (input: Double, output: Double), _ chain: UnsafeMutablePointer<Chain>
  ) -> TimePair {
    let held = max(place.output - Double(chain.pointee.made), 0)
    let rate = max(rate, 1)
    return TimePair(
      in: runStartNs &+ timeNs(ofFrames: place.input, rate: rate),
      out: work.pointee.clock.nextNs &+ timeNs(ofFrames: held, rate: rate))
  }

  /// Sends another segment if it has to be.
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
