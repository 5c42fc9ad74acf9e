// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Sinks and encoders of GStreamer tolerate timestamps that are off by 40 ms, our own
/// elements 1/32 s.
private let mostStepNs: UInt64 = 1_000_000_000 / 32

/// The times of two boundaries of frames in the stream.
struct BoundaryTimes {
  let startNs: UInt64
  /// `unknownTime`: not known.
  var stopNs: UInt64
}

/// The output: segments of one direction each, in one running time.
struct OutputSegment {
  /// The range of a segment in the stream, and the running time of its first frame. A stop of
  /// `unknownTime` is not known.
  struct Sent {
    let startNs: UInt64
    var stopNs: UInt64
    let baseNs: UInt64
  }

  /// The segment that the next frames belong to; `nil`: it has not been sent.
  private(set) var sent: Sent?
  /// The boundaries of frames nearest to its ends: an application may seek to times inside of
  /// frames.
  private var boundaries = BoundaryTimes(startNs: 0, stopNs: unknownTime)
  /// Timestamps are later than the clock by this time, modulo 2^64. A reversed frame begins as
  /// long after the start of the segment as it ends before the stop in the stream.
  private var shiftNs: UInt64 = 0

  /// Running time at the first of the `counted` frames, which play at `rate`.
  private var countBaseNs: UInt64 = 0
  private(set) var rate = 1.0
  /// Frames sent since `countBaseNs`.
  private var counted: UInt64 = 0

  /// The clock counts frames from this time on: adding up durations would drift.
  private var clockNs: UInt64 = 0
  private var clockFrames: UInt64 = 0
  private(set) var clockRate: UInt32 = 0
  /// Frames sent without a break; `nil`: the next frames do not follow those sent last.
  private(set) var offsetFrames: UInt64? = 0

  /// Playback begins; running time continues at `baseNs`.
  mutating func open(_ baseNs: UInt64) {
    self = OutputSegment()
    countBaseNs = baseNs
  }

  /// Running time begins again, as it does after a flush.
  mutating func flush() {
    countBaseNs = 0
    counted = 0
    breakOff()
  }

  /// The next frames do not follow those sent last.
  mutating func breakOff() { offsetFrames = nil }

  /// From here on, running time counts at this playback rate.
  mutating func setRate(_ rate: Double, frameRate: UInt32) {
    countBaseNs = runningNs(rate: frameRate)
    counted = 0
    self.rate = rate
  }

  /// Running time of the frame that is sent next, from the count of all frames, so
  /// that a thousand segments do not drift.
  func runningNs(rate frameRate: UInt32) -> UInt64 {
    guard frameRate > 0 else { return countBaseNs }
    let playedNs = timeNs(ofHalfFrames: counted &<< 1, rate: frameRate)
    return countBaseNs &+ (rate == 1 ? playedNs : scaled(playedNs, by: 1 / rate))
  }

  /// The next frames belong to another segment.
  mutating func end() { sent = nil }

  /// A segment of the stream from `startNs` to `stopNs` begins, with the frames between
  /// `boundaries`. These times are less than a frame apart.
  mutating func start(
    _ startNs: UInt64, _ stopNs: UInt64, _ boundaries: BoundaryTimes, isBackward: Bool,
    rate frameRate: UInt32
  ) {
    sent = Sent(startNs: startNs, stopNs: stopNs, baseNs: runningNs(rate: frameRate))
    self.boundaries = boundaries
    shiftNs =
      isBackward ? startNs &- boundaries.startNs &+ stopNs &- boundaries.stopNs : 0
    // If only the direction changes, the sound continues without a break.
    if clockRate != frameRate, offsetFrames != nil { offsetFrames = 0 }
    clockRate = frameRate
    startClock(boundaries.startNs)
  }

  /// The segment has been sent downstream without a stop.
  mutating func leaveOpen() {
    sent?.stopNs = unknownTime
    boundaries.stopNs = unknownTime
  }

  private mutating func startClock(_ timeNs: UInt64) {
    clockNs = timeNs
    clockFrames = 0
  }

  private var nextNs: UInt64 { time(after: 0) }

  /// The clock after `frames` more frames.
  private func time(after frames: UInt64) -> UInt64 {
    clockNs &+ timeNs(ofHalfFrames: (clockFrames &+ frames) &<< 1, rate: max(clockRate, 1))
  }

  /// The timestamp for a time of the clock, within the segment.
  private func timestamp(_ timeNs: UInt64) -> UInt64 {
    guard let sent else { return timeNs }
    let isEarly = timeNs &+ shiftNs < sent.startNs || timeNs &+ shiftNs > unknownTime &>> 1
    return isEarly ? sent.startNs : min(timeNs &+ shiftNs, sent.stopNs)
  }

  /// Counts `frames` frames as sent, and returns their timestamp and duration.
  mutating func stamp(_ frames: UInt64) -> (ptsNs: UInt64, durationNs: UInt64) {
    let (ptsNs, endNs) = (timestamp(nextNs), timestamp(time(after: frames)))
    clockFrames &+= frames
    counted &+= frames
    offsetFrames = (offsetFrames ?? 0) &+ frames
    return (ptsNs, endNs &- ptsNs)
  }

  /// Frames that fit before the stop of the segment.
  var framesLeft: Int64 {
    let stopNs = boundaries.stopNs
    guard sent != nil, stopNs != unknownTime else { return .max }
    return frame(atNs: stopNs &- min(nextNs, stopNs), rate: clockRate)
  }

  /// Makes `frames`, more than `framesLeft`, fit before the stop of the segment.
  /// Timestamps move back by the missing time, up to 1/32 s. If more is missing, the
  /// stop is moved, and the segment has to be sent again: the last resort, because
  /// encoders start over with it.
  ///
  /// Returns whether it has to be sent again.
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
