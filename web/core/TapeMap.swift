// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Which frame of the sound is on which frame of an endless tape.
///
/// With a loop, the tape has the frames of the loop again and again, in both directions. So nothing
/// but this map knows of loops, and a seam is interpolated like any other place. The first pass of
/// the tape has the numbers of the sound.
struct TapeMap {
  /// The passes of a loop that are on the tape.
  enum Passes { case none, all, fromStart, beforeEnd }

  let whole: FrameRange
  /// The frames that are looped.
  private(set) var looped: FrameRange
  private(set) var loop = TIMEDSP_LOOP_NONE
  private var passes = Passes.none

  init(frames: Int64) {
    whole = FrameRange(firstFrame: 0, endFrame: max(frames, 0))
    looped = whole
  }

  /// Sets the loop. Instead of a boundary, `unknownFrame` means the beginning or the end of the
  /// sound.
  mutating func setLoop(_ loop: TimeDSPLoop, start: Int64, stop: Int64) {
    self.loop = loop
    looped = whole.between(start, stop).range
  }

  /// Puts the loop on the tape. `frame` is the position in the sound, and has the same number on the
  /// tape. If it is outside the loop, the tape leads to the loop first.
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

  /// When a position outside the loop has reached it, puts all passes on the tape, and returns
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

  /// The next pass after an end of the sound beyond the loop. `nil` if there is none.
  func nextPass(_ direction: TimeDSPDirection) -> PassStart? {
    let range = loop == TIMEDSP_LOOP_PING_PONG ? whole : looped
    guard let next = try? range.nextPass(loop, direction), next.frame != unknownFrame else {
      return nil
    }
    return next
  }

  /// The frames that the tape has. Beside a loop, it does not end.
  var limits: (start: Int64, end: Int64) {
    (
      passes == .all || passes == .beforeEnd ? Int64.min : 0,
      passes == .all || passes == .fromStart ? Int64.max : whole.endFrame
    )
  }

  /// The frames of the sound from frame `frame` of the tape on, at most `most`, without a seam.
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
    // the frames at both ends of a ping-pong loop are on the tape once
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

  /// The position in the sound of a position on the tape, and whether the sound runs backwards
  /// there if the tape runs forwards.
  func sound(at position: Wide) -> (position: Wide, isBackward: Bool) {
    let frame = run(at: position.high, atMost: 1).first
    let next = run(at: position.high &+ 1, atMost: 1).first
    let isBackward = loop == TIMEDSP_LOOP_PING_PONG && next < frame
    let rest = Wide(high: 0, low: position.low)
    return (Wide(high: frame, low: 0).adding(isBackward ? rest.negated : rest), isBackward)
  }
}
