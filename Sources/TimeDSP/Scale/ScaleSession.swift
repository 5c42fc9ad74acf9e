// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Decides how `timescale` scales a stream. The session receives segments and buffers, and returns
/// actions for its owner, the element. It never waits, uses no threads, and is called under one
/// lock. `timescale.h` declares the same interface in C.
///
/// **Inputs.** `configure`, `changeRate`, `seek` and `refuseSeek` may be called from any thread.
/// The streaming thread calls `begin` (a segment), `receive` (a buffer), `receiveGap`, `end`,
/// `flush` and `setFormat`. `next` returns the next action, and `done` receives its outcome.
///
/// **Steps.** The work for an input is divided into steps, which are on a stack. `next` runs steps
/// until one of them requests an action. A step may push other steps, which run before those below
/// it.
///
/// **Times.** The chain scales frames, and `TimeSegments` maps times. `notePosition` and
/// `moveTimes` convert positions in the chain to times.
///
/// **Words.** A curve is a control binding that sets the factor over time. A run is a sequence of
/// input without a gap. A buffer is scaled in parts, so that a change of settings takes effect
/// quickly.
struct ScaleSession: HeldByC, ~Copyable {
  /// The settings that the properties request.
  private(set) var wanted: TimeScaleSettings
  /// Whether settings or rate have changed since `followChanges` last ran.
  var isAsked = false
  /// The multiplier of a new instant rate change; 0 if there is no new change.
  var newMultiplier = 0.0
  /// The last seek, until its segment arrives.
  var seek: ScaledSeek?

  var times: TimeSegments
  // `var`, because Swift 6.3.1 crashes under ThreadSanitizer on changes through a `let` pointer
  var work: UnsafeMutablePointer<ScaleWork>
  /// The action that `next` returns. The owner writes the outcome into it.
  let action: UnsafeMutablePointer<TimeScaleAction>
  /// The format of the frames. Interpolation and quality are not taken from here, but from
  /// `wanted`.
  var audio = TimeDSPConfig()
  var rate: UInt32 = 0
  var steps: StepStack
  private let actionStorage: Storage
  /// Whether an action has been returned whose outcome has not been reported.
  private var isOpen = false
  /// The outcome of the last action.
  private(set) var outcome = TIMEDSP_OK
  /// The reason for a failure, until the action FAIL has reported it.
  private var failure = TIMEDSP_OK

  /// Whether a curve sets the factor.
  var isControlled = false
  /// Whether the current change of the factor comes from a curve, and not from new settings.
  var movesByCurve = false
  /// Whether the current change includes an instant rate change.
  var rateHasChanged = false
  /// The input time from which the requested factor applies, for the step `adoptFactor`.
  var factorFromNs = noTime
  /// The input time at which the current run began.
  var runStartNs = noTime
  /// Whether a change of the factor has changed the stop of the output, so that the segment that
  /// was sent may be outdated.
  var stopMoved = false
  /// The stop of the segment that was last sent downstream.
  var sentStopNs = noTime
  var latencyNs: UInt64 = 0

  /// The buffer that is being scaled.
  var buffer = TimeScaleBuffer()
  /// Number of frames of `source` that have been consumed.
  var consumed = 0
  /// Number of frames of the current part that have not been consumed.
  var left = 0
  /// Whether all output of the current part is silent.
  var isGap = false
  /// The source of the frames of the current part: the buffer, the stored audio, or none.
  var source = TIMESCALE_FROM_BUFFER
  /// Whether all audio of the stream is stored, because its length must be known before it is
  /// scaled (the alignment ENDPOINTS).
  var isKeeping = false
  /// Number of stored frames.
  var kept: UInt64 = 0
  /// Number of stored frames that have been loaded for scaling.
  var fed: UInt64 = 0
  /// The input segment that is beginning.
  var segment = TimeSegment()
  /// The duration of the input, as reported by upstream.
  var durationNs = noTime
  /// The GAP event that is being handled: its time and duration.
  var gap = (pts: noTime, duration: noTime)

  /// Throws if memory cannot be allocated.
  init() throws(TimeDSPStatus) {
    let times = try TimeSegments()
    let steps = try StepStack()
    let storage = try Storage(bytes: MemoryLayout<TimeScaleAction>.size)
    let work = try allocated(ScaleWork())
    wanted = TimeScaleSettings(
      factor: 1, pitch: .ofTape, interpolation: TIMEDSP_SINC, quality: 6, absorbs_rate: 1,
      alignment: TIMESCALE_STREAM)
    self.times = times
    self.steps = steps
    self.work = work
    action = storage.base.bindMemory(to: TimeScaleAction.self, capacity: 1)
    action.initialize(to: TimeScaleAction())
    actionStorage = storage
  }

  deinit { work.free() }

  /// The next action; `nil` if there is none.
  mutating func next(isControlled: Bool) -> UnsafeMutablePointer<TimeScaleAction>? {
    self.isControlled = isControlled
    while let step = steps.pop() {
      if !run(step) { continue }
      isOpen = true
      return action
    }
    return nil
  }

  /// Applies the outcome of the last action. The outcome of an action that was open at a flush is
  /// ignored.
  mutating func done() {
    guard isOpen else { return }
    isOpen = false
    outcome = action.pointee.status
    switch action.pointee.kind {
    case TIMESCALE_PASS: if outcome == TIMEDSP_OK { _ = steps.pop() }
    case TIMESCALE_PROCESS: finishWork()
    case TIMESCALE_KEEP: kept &+= UInt64(truncatingIfNeeded: buffer.frames)
    case TIMESCALE_LOAD: left = action.pointee.frames
    case TIMESCALE_ASK_DURATION: durationNs = action.pointee.duration_ns
    default: break
    }
    if action.pointee.failed != 0 { steps.giveUp() }
  }

  /// Requests an action. Always returns `true`, so that a step can return the result.
  func ask(_ kind: TimeScaleKind) -> Bool {
    action.pointee.kind = kind
    action.pointee.work = OpaquePointer(work)
    action.pointee.status = TIMEDSP_OK
    action.pointee.failed = 0
    action.pointee.last = 0
    return true
  }

  /// Abandons the current work, and reports `status`.
  mutating func fail(_ status: TimeDSPStatus) {
    failure = status
    steps.giveUp()
    steps.push(.fail)
  }

  /// Runs `step`. Returns whether it has requested an action.
  private mutating func run(_ step: ScaleStep) -> Bool {
    switch step {
    case .startSegment: return startSegment()
    case .sendFirstSegment: return sendFirstSegment()
    case .makeFirstChain: return makeFirstChain()
    case .receiveBuffer: return receiveBuffer()
    case .receiveChangedBuffer: return receiveChangedBuffer()
    case .beginBuffer: return beginBuffer()
    case .adoptFactor: return adoptFactor()
    case .startRun: return startRun()
    case .handleBuffer: return handleBuffer()
    case .requireChain: return requireChain()
    case .scaleBuffer: return scaleBuffer()
    case .passBuffer: return passBuffer()
    case .cutBuffer: return cutBuffer()
    case .cutPiece: return cutPiece()
    case .cutStep: return cutStep()
    case .work: return workOnPiece()
    case .followChanges: return followChanges()
    case .moveAsAsked: return moveAsAsked()
    case .move: return move()
    case .moveTimes: return moveTimes()
    case .stayInSegment: return stayInSegment()
    case .drainStream: return drainStream()
    case .endStream: return endStream()
    case .drainKept: return drainKept()
    case .feedKept: return feedKept()
    case .loadKept: return loadKept()
    case .workOnKept: return workOnKept()
    case .finishKept: return finishKept()
    case .endKept: return endKept()
    case .beginGap: return beginGap()
    case .sendGap: return sendGap()
    case .reportDuration: return ask(TIMESCALE_DURATION_CHANGED)
    case .reportLatency: return reportLatency()
    case .fail: return reportFailure()
    }
  }

  private func reportFailure() -> Bool {
    let asks = ask(TIMESCALE_FAIL)
    action.pointee.status = failure
    return asks
  }

  /// Whether the last action has succeeded.
  var hasSucceeded: Bool { outcome == TIMEDSP_OK }
}

// Functions for any thread.
extension ScaleSession {
  mutating func configure(_ settings: TimeScaleSettings) {
    wanted = settings
    isAsked = true
  }

  /// Applies an instant rate change: playback continues at `multiplier` times the rate of the
  /// segment. Returns `false` if the rate cannot become part of the factor.
  mutating func changeRate(_ multiplier: Double) -> Bool {
    guard wanted.absorbs_rate != 0, multiplier > 0, wanted.alignment == TIMESCALE_STREAM else {
      return false
    }
    newMultiplier = multiplier
    isAsked = true
    return true
  }

  /// Converts the times of `seek` from the output to the input. Keeps the times of output and input
  /// until the segment that results from the seek arrives.
  mutating func seek(_ seek: inout TimeScaleSeek) {
    let outStart = seek.sets_start != 0 ? seek.start_ns : -1
    let outStop = seek.sets_stop != 0 ? seek.stop_ns : -1
    self.seek = ScaledSeek(
      outStartNs: UInt64(bitPattern: outStart), outStopNs: UInt64(bitPattern: outStop),
      inStartNs: UInt64(bitPattern: inputTime(outStart)),
      inStopNs: UInt64(bitPattern: inputTime(outStop)))
    seek.start_ns = inputTime(seek.start_ns)
    seek.stop_ns = inputTime(seek.stop_ns)
  }

  mutating func refuseSeek() { seek = nil }

  /// Stream time of the input at stream time `time` of the output.
  private func inputTime(_ time: Int64) -> Int64 {
    // times below -1 count back from the end of the stream; the requested factor applies at the end
    if time < -1 {
      return 0 &- Int64(bitPattern: scaledTime(time.magnitude, by: 1 / wanted.factor))
    }
    return Int64(bitPattern: times.history.input(UInt64(bitPattern: time), orBy: wanted.factor))
  }

  /// Stream time of the output at stream time `time` of the input.
  func outputTime(_ time: UInt64) -> UInt64 { times.history.output(time, orBy: wanted.factor) }

  /// Whether the settings leave the audio unchanged.
  var isIdentity: Bool { wanted.factor == 1 && wanted.pitch.isUnmoved }
}

// Functions for the streaming thread.
extension ScaleSession {
  /// Sets the format of the following frames to `audio`, at `rate` frames per second. All earlier
  /// frames must have been drained.
  mutating func setFormat(_ audio: TimeDSPConfig, rate: UInt32) {
    forget()
    self.audio = audio
    self.rate = rate
    work.pointee.clock.clear(rate)
  }

  mutating func begin(_ segment: TimeSegment) {
    forget()
    work.pointee.clock.clear(rate)
    stopMoved = false
    self.segment = segment
    startOver()
    steps.push(.startSegment)
  }

  mutating func receive(_ buffer: TimeScaleBuffer) {
    self.buffer = buffer
    sentStopNs = buffer.sent_stop_ns
    startOver()
    steps.push(.receiveBuffer)
  }

  mutating func receiveGap(_ pts: UInt64, _ duration: UInt64) {
    gap = (pts, duration)
    startOver()
    steps.push(.beginGap)
    drain()
  }

  mutating func end() {
    startOver()
    drain()
  }

  mutating func drain() {
    steps.push(.drainKept)
    steps.push(.drainStream)
  }

  /// Clears the steps of the last input. Steps are left only after a flush, or if the last action
  /// had `last` set, so that `done` was not called.
  private mutating func startOver() {
    steps.clear()
    isOpen = false
  }

  mutating func flush(everything: Bool) {
    forget()
    startOver()
    times.reset(wanted.factor)
    newMultiplier = 0
    guard everything else { return }
    rate = 0
    times.history.forget()
  }

  private mutating func forget() {
    work.pointee.freeChain()
    isKeeping = false
    kept = 0
    work.pointee.clock.stop()
  }
}
