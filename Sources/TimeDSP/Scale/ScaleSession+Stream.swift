// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// The beginning and the end of a stream.
extension ScaleSession {
  // MARK: Segments

  mutating func startSegment() -> Bool {
    // the rate of a seek replaces all instant rate changes
    if seek != nil { times.multiplier = 1 }
    times.start(segment, wanted.factor, absorbs: wanted.absorbs_rate != 0, rate: rate)
    if let seek { times.settle(seek) }
    seek = nil
    durationNs = noTime
    steps.push(.makeFirstChain)
    steps.push(.sendFirstSegment)
    // at factor 1, the stop of the input is kept, so the duration is not needed
    return times.factor != 1 && ask(TIMESCALE_ASK_DURATION)
  }

  mutating func sendFirstSegment() -> Bool {
    if times.factor != 1 { times.allowSurplus(durationNs, rate: rate) }
    if isControlled, times.output.applied_rate > 0 { times.output.stop = noTime }
    return send(times.output)
  }

  /// Makes the chain before the first buffer arrives, because with the pitch kept, this takes longer
  /// than a short buffer lasts. If it fails, the first buffer tries again, and reports the failure.
  /// With a curve, the factor is not known yet.
  mutating func makeFirstChain() -> Bool {
    guard rate > 0, !isControlled, !wantsKeeping else { return false }
    return configureChain()
  }

  mutating func send(_ segment: TimeSegment) -> Bool {
    action.pointee.segment = segment
    sentStopNs = segment.stop
    return ask(TIMESCALE_SEND_SEGMENT)
  }

  /// Sends the current output segment, and then reports that the duration has changed.
  mutating func announce() -> Bool {
    steps.push(.reportDuration)
    return send(times.output)
  }

  // MARK: Buffers

  /// Passes the buffer through, with new timestamps, if its samples need no change and no further
  /// step is needed. Otherwise, `receiveChangedBuffer` runs.
  mutating func receiveBuffer() -> Bool {
    steps.push(.receiveChangedBuffer)
    guard !isAsked, buffer.discont == 0, !isControlled, let chain = work.pointee.chain,
      chain.pointee.passes
    else { return false }
    times.endNs = buffer.pts_ns &+ buffer.duration_ns
    let asks = pass()
    action.pointee.last = 1
    return asks
  }

  mutating func receiveChangedBuffer() -> Bool {
    steps.push(.beginBuffer)
    if buffer.discont != 0 { drain() }
    return false
  }

  /// Begins a run with the buffer, or continues the current run.
  mutating func beginBuffer() -> Bool {
    let pts = buffer.pts_ns
    steps.push(.handleBuffer)
    if !work.pointee.clock.isRunning {
      if followRate() { times.begin(at: times.mapped(pts)) }
      steps.push(.startRun)
      factorFromNs = pts
    } else if isKeeping {
      factorFromNs = runStartNs
    } else {
      return false
    }
    steps.push(.adoptFactor)
    return readCurves(at: pts)
  }

  mutating func startRun() -> Bool {
    runStartNs = buffer.pts_ns
    work.pointee.clock.start(at: times.mapped(runStartNs))
    return false
  }

  /// Adopts the requested factor from `factorFromNs` on. No input after that time has been scaled
  /// yet.
  mutating func adoptFactor() -> Bool {
    times.adoptFactor(wanted.factor, from: factorFromNs) && announce()
  }

  func readCurves(at time: UInt64) -> Bool {
    action.pointee.time_ns = time
    return isControlled && ask(TIMESCALE_READ_CURVES)
  }

  /// Makes a new instant rate change part of the factor. Returns whether there was one.
  mutating func followRate() -> Bool {
    let multiplier = newMultiplier
    newMultiplier = 0
    if multiplier == 0 || multiplier == times.multiplier { return false }
    times.multiplyRate(multiplier)
    return true
  }

  mutating func handleBuffer() -> Bool {
    times.endNs = buffer.pts_ns &+ buffer.duration_ns
    isKeeping = isKeeping || hasNoFrames && wantsKeeping
    if isKeeping { return ask(TIMESCALE_KEEP) }
    steps.push(.scaleBuffer)
    guard hasNoFrames || isControlled else { return false }
    steps.push(.requireChain)
    return configureChain()
  }

  /// Whether no frame of the current run has been scaled.
  private var hasNoFrames: Bool { work.pointee.chain?.pointee.received ?? 0 == 0 }

  /// Whether the settings require that all audio is stored until the end of the stream.
  private var wantsKeeping: Bool {
    wanted.alignment == TIMESCALE_ENDPOINTS && wanted.pitch.isOfTape
  }

  /// Makes a chain for the current settings, or makes the existing chain adopt them.
  mutating func configureChain() -> Bool { prepare(.configure(chainSettings)) }

  private var chainSettings: ChainSettings {
    ChainSettings(
      audio: configuredAudio, rate: rate, factor: times.factor, pitch: wanted.pitch,
      moves: isControlled)
  }

  func prepare(_ preparation: ScaleWork.Preparation) -> Bool {
    work.pointee.preparation = preparation
    return ask(TIMESCALE_PREPARE)
  }

  private var configuredAudio: TimeDSPConfig {
    var audio = audio
    audio.interpolation = wanted.interpolation
    audio.quality = wanted.quality
    return audio
  }

  mutating func requireChain() -> Bool {
    if !hasSucceeded { fail(outcome) }
    return false
  }

  // MARK: Gaps

  mutating func beginGap() -> Bool {
    factorFromNs = gap.pts
    steps.push(.sendGap)
    steps.push(.adoptFactor)
    return readCurves(at: gap.pts)
  }

  mutating func sendGap() -> Bool {
    if times.advance(to: work.pointee.clock.nextNs) {
      steps.push(.sendGap)
      return announce()
    }
    let start = times.mapped(gap.pts)
    action.pointee.time_ns = start
    action.pointee.duration_ns = gap.duration
    if gap.duration != noTime {
      times.endNs = gap.pts &+ gap.duration
      action.pointee.duration_ns = times.mapped(times.endNs) &- start
    }
    return ask(TIMESCALE_SEND_GAP)
  }

  // MARK: The end

  /// Outputs the frames that are still in the chain.
  mutating func drainStream() -> Bool {
    guard !isKeeping, let chain = work.pointee.chain, work.pointee.clock.isRunning else {
      return false
    }
    steps.push(.endStream)
    startDraining(isGap: chain.pointee.framesBeforeGap == 0)
    return false
  }

  private mutating func startDraining(isGap: Bool) {
    self.isGap = isGap
    source = TIMESCALE_FROM_NOTHING
    left = 0
    steps.push(.work)
  }

  /// Ends the run, after all of its output has been sent.
  mutating func endStream() -> Bool {
    if let chain = work.pointee.chain {
      do throws(TimeDSPStatus) { try chain.pointee.startAgain() } catch {
        work.pointee.freeChain()
      }
    }
    let end = TimePair(in: times.endNs, out: work.pointee.clock.nextNs)
    times.end(end, toleranceNs: frameNs &+ 1)
    work.pointee.clock.stop()
    return false
  }

  /// Duration of a frame in whole nanoseconds.
  var frameNs: UInt64 { timeNs(ofHalfFrames: 2, rate: max(rate, 1)) }

  /// Scales all stored audio, now that its length is known.
  mutating func drainKept() -> Bool {
    guard isKeeping else { return false }
    steps.push(.endKept)
    do throws(TimeDSPStatus) {
      let length = try Scaler.length(of: kept, scaledBy: times.factor)
      steps.push(.feedKept)
      return prepare(.fit(configuredAudio, count: kept, length: length))
    } catch {
      fail(error)
      return false
    }
  }

  mutating func feedKept() -> Bool {
    fed = 0
    if hasSucceeded { steps.push(.loadKept) } else { fail(outcome) }
    return false
  }

  mutating func loadKept() -> Bool {
    guard fed < kept else {
      steps.push(.finishKept)
      return false
    }
    steps.push(.workOnKept)
    action.pointee.first = fed
    return ask(TIMESCALE_LOAD)
  }

  mutating func workOnKept() -> Bool {
    isGap = false
    source = TIMESCALE_FROM_KEPT
    fed &+= UInt64(truncatingIfNeeded: left)
    consumed = 0
    steps.push(.loadKept)
    steps.push(.work)
    return false
  }

  mutating func finishKept() -> Bool {
    startDraining(isGap: false)
    return false
  }

  mutating func endKept() -> Bool {
    work.pointee.freeChain()
    isKeeping = false
    kept = 0
    work.pointee.clock.stop()
    return ask(TIMESCALE_FORGET)
  }
}
