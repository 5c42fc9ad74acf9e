// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Which frame of the sound is where on an endless tape.
///
/// With a loop, the tape has its frames again and again, in both directions. So only this map knows
/// of loops, and we interpolate a seam like any other place. The first pass of the tape has the
/// numbers of the sound.
struct TapeMap {
  /// The passes of a loop that are on the tape.
  enum Passes { case none, all, fromStart, beforeEnd }

  let whole: FrameRange
  private(set) var looped: FrameRange
  private(set) var loop = TIMEDSP_LOOP_NONE
  private var passes = Passes.none

  init(frames: Int64) {
    whole = FrameRange(firstFrame: 0, endFrame: max(frames, 0))
    looped = whole
  }

  /// Instead of a boundary, `unknownFrame` means the beginning or the end of the sound.
  mutating func setLoop(_ loop: TimeDSPLoop, start: Int64, stop: Int64) {
    self.loop = loop
    looped = whole.between(start, stop).range
  }

  /// Puts the loop on the tape. `frame` is a position in the sound, with the same number on the
  /// tape. If it's outside the loop, the tape leads to the loop first.
  mutating func lay(around frame: Int64, isLooping: Bool) {
    if !isLooping || loop == TIMEDSP_LOOP_NONE || looped.isEmpty {
      passes = .none
    } else {
      passes =
        frame < looped.firstFrame
        ? .fromStart
        : frame < looped.endFrame ? .all : .beforeEnd
    }
  }

  /// Once a position outside the loop has reached it, all passes are on the tape, and this returns
  /// `true`.
  mutating func enter(at frame: Int64) -> Bool {
    let enters =
      switch passes {
      case .fromStart: frame >= looped.firstFrame
      case .beforeEnd: frame < looped.endFrame
      default: false
      }
    if enters { passes = .all }
    return enters
  }

  /// After an end of the sound beyond the loop.
  func nextPass(_ direction: TimeDSPDirection) -> PassStart? {
    let range = loop == TIMEDSP_LOOP_PING_PONG ? whole : looped
    guard let next = try? range.nextPass(loop, direction), next.frame != unknownFrame else {
      return nil
    }
    return next
  }

  /// What the tape has. On the side of a loop, it doesn't end.
  var limits: (start: Int64, end: Int64) {
    (
      passes == .all || passes == .beforeEnd ? Int64.min : 0,
      passes == .all || passes == .fromStart ? Int64.max : whole.endFrame
    )
  }

  /// In the sound, from frame `frame` of the tape on, without a seam.
  func run(at frame: Int64, atMost most: Int64) -> FrameRun {
    let isPlain =
      switch passes {
      case .none: true
      case .all: false
      case .fromStart: frame < looped.firstFrame
      case .beforeEnd: frame >= looped.endFrame
      }
    if isPlain {
      let left = frame < looped.firstFrame ? looped.firstFrame &- frame : most
      return FrameRun(first: frame, count: min(most, left), isBackward: false)
    }
    let length = looped.endFrame &- looped.firstFrame
    let isThereAndBack = loop == TIMEDSP_LOOP_PING_PONG
    // the tape has the frames at both ends of a ping-pong loop once
    let period = isThereAndBack ? max(2 &* length &- 2, 1) : length
    let rest = (frame &- looped.firstFrame).remainder(by: period)
    let place = rest < 0 ? rest &+ period : rest
    if place < length {
      return FrameRun(
        first: looped.firstFrame &+ place, count: min(most, length &- place), isBackward: false)
    }
    let count = min(most, period &- place)
    let start = looped.firstFrame &+ period &- place
    return FrameRun(first: start &- count &+ 1, count: count, isBackward: true)
  }

  /// For a position on the tape. If the tape runs forwards, the sound may run backwards there.
  func sound(at position: Wide) -> (position: Wide, isBackward: Bool) {
    let frame = run(at: position.high, atMost: 1).first
    let next = run(at: position.high &+ 1, atMost: 1).first
    let isBackward = loop == TIMEDSP_LOOP_PING_PONG && next < frame
    let rest = Wide(high: 0, low: position.low)
    return (Wide(high: frame, low: 0).adding(isBackward ? rest.negated : rest), isBackward)
  }
}
