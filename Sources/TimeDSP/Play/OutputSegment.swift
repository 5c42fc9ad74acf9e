// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Maximum correction of timestamps. GStreamer's sinks and encoders accept timestamps that are off
/// by 40 ms, and our own elements accept 1/32 s.
private let mostStepNs: UInt64 = 1_000_000_000 / 32

/// The times of the first and the last frame boundary of a segment.
struct BoundaryTimes {
  let startNs: UInt64
  /// `unknownTime` if the stop is not known.
  var stopNs: UInt64
}

/// The segment that is sent downstream, and the timestamps of its frames. Every change of direction
/// needs a new segment. Running time is continuous across all segments.
struct OutputSegment {
  /// A segment that has been sent: its range in the stream, and the running time of its first
  /// frame. `stopNs` is `unknownTime` if the segment has no stop.
  struct Sent {
    let startNs: UInt64
    var stopNs: UInt64
    let baseNs: UInt64
  }

  /// The current segment; `nil` if a new segment must be sent before the next frames.
  private(set) var sent: Sent?
  /// The frame boundaries nearest to the start and the stop of the segment. They differ from the
  /// start and the stop if the application has seeked to a time inside a frame.
  private var boundaries = BoundaryTimes(startNs: 0, stopNs: unknownTime)
  /// The clock plus this shift, modulo 2^64, is the timestamp. The shift is 0 unless the segment
  /// plays backward and its start or stop is inside a frame: a frame that ends some time before the
  /// stop in the stream must begin the same time after the start of the segment.
  private var shiftNs: UInt64 = 0

  /// Running time when `counted` was last reset.
  private var countBaseNs: UInt64 = 0
  /// Playback rate of the counted frames.
  private(set) var rate = 1.0
  /// Number of frames sent since `counted` was last reset, for the running time.
  private var counted: UInt64 = 0

  /// The time at which the clock was started. The time of the clock is this time plus
  /// the duration of all frames sent since the start. Durations of buffers are not added up,
  /// because their rounding errors would accumulate.
  private var clockNs: UInt64 = 0
  /// Number of frames sent since the clock was started.
  private var clockFrames: UInt64 = 0
  /// Frames per second of the clock.
  private(set) var clockRate: UInt32 = 0
  /// Number of frames sent without a break, for the offset of buffers. It is `nil` if the next
  /// frames do not follow the frames that were sent last.
  private(set) var offsetFrames: UInt64? = 0

  /// Begins playback. The running time of the next frame is `baseNs`.
  mutating func open(_ baseNs: UInt64) {
    self = OutputSegment()
    countBaseNs = baseNs
  }

  /// Restarts the running time at 0, as after a flush.
  mutating func flush() {
    countBaseNs = 0
    counted = 0
    breakOff()
  }

  /// Marks a break: the next frames do not follow the frames that were sent last.
  mutating func breakOff() { offsetFrames = nil }

  /// Sets the playback rate of the following frames.
  mutating func setRate(_ rate: Double, frameRate: UInt32) {
    countBaseNs = runningNs(rate: frameRate)
    counted = 0
    self.rate = rate
  }

  /// Running time of the next frame. It is computed from the number of all frames at the current
  /// rate, so that the rounding errors of many segments do not accumulate.
  func runningNs(rate frameRate: UInt32) -> UInt64 {
    guard frameRate > 0 else { return countBaseNs }
    let playedNs = timeNs(ofHalfFrames: counted &<< 1, rate: frameRate)
    return countBaseNs &+ (rate == 1 ? playedNs : scaled(playedNs, by: 1 / rate))
  }

  /// Ends the segment. The next frames belong to a new segment.
  mutating func end() { sent = nil }

  /// Begins a segment of the stream from `startNs` to `stopNs`. The frames of the segment are
  /// between `boundaries`, each of which is less than a frame away from `startNs` or `stopNs`.
  mutating func start(
    _ startNs: UInt64, _ stopNs: UInt64, _ boundaries: BoundaryTimes, isBackward: Bool,
    rate frameRate: UInt32
  ) {
    sent = Sent(startNs: startNs, stopNs: stopNs, baseNs: runningNs(rate: frameRate))
    self.boundaries = boundaries
    shiftNs =
      isBackward ? startNs &- boundaries.startNs &+ stopNs &- boundaries.stopNs : 0
    // offsets continue from the previous segment, unless the sample rate has changed
    if clockRate != frameRate, offsetFrames != nil { offsetFrames = 0 }
    clockRate = frameRate
    startClock(boundaries.startNs)
  }

  /// Records that the segment has been sent downstream without a stop position.
  mutating func leaveOpen() {
    sent?.stopNs = unknownTime
    boundaries.stopNs = unknownTime
  }

  private mutating func startClock(_ timeNs: UInt64) {
    clockNs = timeNs
    clockFrames = 0
  }

  private var nextNs: UInt64 { time(after: 0) }

  /// The time of the clock after `frames` more frames.
  private func time(after frames: UInt64) -> UInt64 {
    clockNs &+ timeNs(ofHalfFrames: (clockFrames &+ frames) &<< 1, rate: max(clockRate, 1))
  }

  /// The timestamp for a time of the clock, clamped to the segment.
  private func timestamp(_ timeNs: UInt64) -> UInt64 {
    guard let sent else { return timeNs }
    let isEarly = timeNs &+ shiftNs < sent.startNs || timeNs &+ shiftNs > unknownTime &>> 1
    return isEarly ? sent.startNs : min(timeNs &+ shiftNs, sent.stopNs)
  }

  /// Counts `frames` frames as sent. Returns their timestamp and duration.
  mutating func stamp(_ frames: UInt64) -> (ptsNs: UInt64, durationNs: UInt64) {
    let (ptsNs, endNs) = (timestamp(nextNs), timestamp(time(after: frames)))
    clockFrames &+= frames
    counted &+= frames
    offsetFrames = (offsetFrames ?? 0) &+ frames
    return (ptsNs, endNs &- ptsNs)
  }

  /// Number of frames that fit before the stop of the segment.
  var framesLeft: Int64 {
    let stopNs = boundaries.stopNs
    guard sent != nil, stopNs != unknownTime else { return .max }
    return frame(atNs: stopNs &- min(nextNs, stopNs), rate: clockRate)
  }

  /// Makes room for `frames` frames before the stop of the segment, if `frames` is above
  /// `framesLeft`. Timestamps are moved back by the missing time, up to 1/32 s. If more time is
  /// missing, the stop of the segment is moved instead. The segment must then be sent again, which
  /// makes encoders start over.
  ///
  /// Returns whether the segment must be sent again.
  mutating func makeRoom(_ frames: Int64) -> Bool {
    guard sent != nil else { return true }
    let neededNs = ceilingNs(frames)
    let (startNs, stopNs) = (boundaries.startNs, boundaries.stopNs)
    let roomNs = stopNs &- min(stopNs, nextNs)
    if neededNs <= roomNs &+ mostStepNs, neededNs <= stopNs &- startNs {
      startClock(stopNs &- neededNs)
      return false
    }
    let (stop, isTooLate) = nextNs.addingReportingOverflow(neededNs)
    boundaries.stopNs = isTooLate ? unknownTime &- 1 : stop
    sent?.stopNs = boundaries.stopNs
    return true
  }

  /// The duration of `frames`, rounded up.
  private func ceilingNs(_ frames: Int64) -> UInt64 {
    let halves = UInt64(truncatingIfNeeded: frames) &<< 1
    let floor = timeNs(ofHalfFrames: halves, rate: max(clockRate, 1))
    let product = UInt64(truncatingIfNeeded: frames).multipliedFullWidth(by: secondNs)
    let back = floor.multipliedFullWidth(by: UInt64(clockRate))
    let isWhole = (product.high, product.low) == (back.high, back.low)
    return isWhole || floor == .max ? floor : floor &+ 1
  }
}
