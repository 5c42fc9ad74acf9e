// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP

// What comes out.
extension Playback {
  /// The frames that are heard next, with blocks from a reader.
  ///
  /// - Parameter read: Gives audio that begins at a frame, or before it, as long as it likes;
  ///   `nil`, or no samples, where there is no more. ``Playback`` says what it may get wrong.
  /// - Returns: Interleaved samples of 1/25 s at most; `nil` at the end.
  /// - Throws: What ``next()`` throws; ``TimeDSPError/badLength``, and what the reader throws,
  ///   after which the same frames are asked for again.
  public mutating func next(
    reading read: (_ frame: Int) throws -> AudioBlock<Sample>?
  ) throws -> [Sample]? {
    while true {
      switch try next() {
      case .play(let samples): return samples
      case .end: return nil
      case .read(let frame):
        if let block = try read(frame) {
          try append(block.samples, at: block.frame)
        } else {
          endOfAudio()
        }
      }
    }
  }

  /// What to do next: hand over audio, or play what is given.
  ///
  /// ```swift
  /// switch try playback.next() {
  /// case .read(let frame):
  ///   if reader.position != frame { try reader.seek(to: frame) }
  ///   let begin = reader.position
  ///   try playback.append(reader.read(), at: begin)
  /// case .play(let samples): output(samples)
  /// case .end: stop()
  /// }
  /// ```
  ///
  /// - Throws: ``TimeDSPError/noMemory``, ``TimeDSPError/spliceNotExact``,
  ///   ``TimeDSPError/audioMissing``, ``TimeDSPError/endedEarly(frames:)``,
  ///   ``TimeDSPError/readerStuck(frame:)``. It has stopped then, until ``seek(to:)``.
  public mutating func next() throws(TimeDSPError) -> PlaybackStep<Sample> {
    while true {
      var action = TimePlayAction()
      timeplay_next(core, &action)
      var outcome = TimePlayOutcome()
      (outcome.ok, outcome.open, outcome.duration_ns) = (1, 1, unknownTime)
      switch action.kind {
      case TIMEPLAY_WAIT:
        if useRest() { continue }
        if let step = try ask() { return step }
      case TIMEPLAY_ASK_DURATION:
        outcome.duration_ns = durationNs
      case TIMEPLAY_REPORT where action.report == TIMEPLAY_SPLICE_ODD:
        splicesUnlike += 1
      case TIMEPLAY_FETCH where action.is_last != 0:
        outcome.ok = 0  // the reader has no one to announce its end to
      case TIMEPLAY_FETCH:
        fetches += 1
        seek(toNs: action.seek_ns)
      case TIMEPLAY_FRAMES:
        fetches = 0
        let samples = try samples(of: action)
        timeplay_done(core, &outcome)
        return .play(samples)
      case TIMEPLAY_END, TIMEPLAY_FAIL:
        hasEnded = true
      default: break
      }
      timeplay_done(core, &outcome)
      if action.kind == TIMEPLAY_FAIL { throw error(of: action) }
    }
  }

  /// Asks the reader; `nil`: it has ended, without saying so.
  private mutating func ask() throws(TimeDSPError) -> PlaybackStep<Sample>? {
    guard !hasEnded, isFilling else { return .end }
    let frame = reader.tell()
    guard reader.isStuck || reader.leavesOut || fetches > mostFetches else {
      return .read(from: frame)
    }
    if reader.isStuck, let frames, frame >= frames - sampleRate / 2 {
      endOfAudio()
      return nil
    }
    hasEnded = true
    if reader.leavesOut { throw .audioMissing }
    throw .readerStuck(frame: frame)
  }

  /// Copies the frames of an action, in the order in which they are heard.
  private mutating func samples(of action: TimePlayAction) throws(TimeDSPError) -> [Sample] {
    let count = action.frames * channels
    let isBackward = action.direction == TIMEDSP_BACKWARD
    var status = TIMEDSP_OK
    let samples = [Sample](unsafeUninitializedCapacity: count) { target, made in
      guard let to = target.baseAddress, let from = action.samples else { return }
      if isBackward {
        status = timedsp_reverse(from, to, action.frames, Int(format.stride_bytes))
      } else {
        UnsafeMutableRawPointer(to).copyMemory(
          from: from, byteCount: count * MemoryLayout<Sample>.stride)
      }
      made = count
    }
    try check(status)
    heading = Direction(action.direction)
    place = Int(clamping: action.frame) + (isBackward ? 0 : action.frames)
    return samples
  }

  private func error(of action: TimePlayAction) -> TimeDSPError {
    switch action.report {
    case TIMEPLAY_NO_MEMORY: .noMemory
    case TIMEPLAY_NOT_EXACT: .spliceNotExact
    case TIMEPLAY_BROKEN_OFF: .endedEarly(frames: Int(clamping: action.frame))
    default: .audioMissing
    }
  }
}

// What goes in.
extension Playback {
  /// Whether more audio is wanted, now or soon: an application may hand it over before it is
  /// asked for. Where it begins, ``next()`` has said, or the block before has ended.
  public var wantsAudio: Bool { reader.isReady && isFilling }

  /// Whether the core takes what comes.
  private var isFilling: Bool { timeplay_receive(core, nil) == TIMEPLAY_BUFFER_FILLS }

  /// The reader has to go elsewhere.
  private mutating func seek(toNs time: UInt64) {
    rest = nil
    reader.seek(to: frame(before: time))
    for kind in [TIMEPLAY_FLUSH_START, TIMEPLAY_FLUSH_STOP, TIMEPLAY_NEW_SEGMENT] { send(kind) }
  }

  private func send(_ kind: TimePlayEventKind) {
    var event = TimePlayEvent()
    event.kind = kind
    event.in_seek = 1
    event.segment.rate = 1
    event.segment.stop_ns = unknownTime
    _ = timeplay_event(core, &event)
  }

  /// Hands over what is left, where it is wanted now.
  @discardableResult
  private mutating func useRest() -> Bool {
    guard let rest, isFilling else { return false }
    self.rest = nil
    add(rest.samples.span, at: rest.frame)
    return true
  }

  /// The frame in which a time lies, in ns: a seek goes to half a frame behind a boundary.
  private func frame(before time: UInt64) -> Int {
    let product = time.multipliedFullWidth(by: UInt64(format.rate))
    return Int(clamping: (1_000_000_000 as UInt64).dividingFullWidth(product).quotient)
  }

  /// Hands over audio that was asked for. What is not wanted is left out.
  ///
  /// - Parameters:
  ///   - samples: Interleaved samples of a whole number of frames; none: the audio has ended.
  ///   - frame: The number of the first of them, above -2^53. ``Playback`` says how far it may
  ///     be off.
  /// - Throws: ``TimeDSPError/badLength``; nothing is taken then.
  public mutating func append(
    _ samples: Span<Sample>, at frame: Int
  ) throws(TimeDSPError) {
    try require(samples.count.isMultiple(of: channels), else: .badLength)
    try require(Int64(frame).magnitude <= mostFrames.magnitude, else: .badLength)
    useRest()
    guard wantsAudio, !reader.skips(to: frame) else { return }
    if samples.isEmpty { return endOfAudio() }
    guard let known = reader.take(samples, at: frame) else { return }
    add(samples.extracting((known * channels)...), at: frame + known)
  }

  /// Hands over audio that was asked for, from an array.
  ///
  /// - Parameters:
  ///   - samples: Interleaved samples of a whole number of frames; none: the audio has ended.
  ///   - frame: The number of the first of them.
  /// - Throws: ``TimeDSPError/badLength``; nothing is taken then.
  public mutating func append(_ samples: [Sample], at frame: Int) throws(TimeDSPError) {
    try append(samples.span, at: frame)
  }

  /// Tells that the reader has no more audio behind what it has given. If nothing has come since
  /// a seek, an earlier frame is asked for.
  public mutating func endOfAudio() {
    useRest()
    if wantsAudio, reader.takeEnd() { send(TIMEPLAY_STREAM_END) }
  }

  private mutating func add(_ samples: Span<Sample>, at frame: Int) {
    var run: OpaquePointer?
    guard !samples.isEmpty, timeplay_receive(core, &run) == TIMEPLAY_BUFFER_FILLS else { return }
    var used = 0
    var wantsMore = false
    samples.withUnsafeBufferPointer { samples in
      var plane = UnsafeRawPointer(samples.baseAddress)
      withUnsafePointer(to: &plane) { planes in
        var buffer = TimePlayBuffer()
        buffer.planes = planes
        buffer.frames = samples.count / channels
        buffer.has_timestamp = 1
        buffer.time_sign = frame < 0 ? -1 : 1
        buffer.time_ns = timedsp_time_of(Int64(frame.magnitude), format.rate)
        wantsMore = timeplay_run_add(run, &buffer, &format, &used) != 0
      }
    }
    if wantsMore { return }
    timeplay_filled(core, 1)
    keepRest(of: samples, at: frame, from: used)
  }

  /// Keeps what the run had no use for: the next one may go on there.
  private mutating func keepRest(of samples: Span<Sample>, at frame: Int, from used: Int) {
    guard used < samples.count / channels else { return }
    let left = samples.extracting((used * channels)..<samples.count)
    rest = AudioBlock(at: frame + used, left.withUnsafeBufferPointer { Array($0) })
  }
}
