// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// The part of a session that processes samples. It belongs to the streaming thread, which uses it
/// without the lock. The session accesses it under the lock of the session, but only while no
/// action is open.
struct ScaleWork: ~Copyable {
  /// What `prepare()` will do.
  enum Preparation {
    case nothing
    /// Make a chain with these settings, or change those of the existing one (`reconfigure`).
    case configure(ChainSettings)
    /// Make a chain that scales `count` frames to `length` frames.
    case fit(TimeDSPConfig, count: UInt64, length: UInt64)
    /// Change factor and pitch of the chain over `frames` input frames.
    case move(Double, TimePitch, frames: UInt64)
  }

  var chain: UnsafeMutablePointer<Chain>?
  var clock = OutputClock()
  var preparation = Preparation.nothing
  /// Number of input frames over which the last change of factor or pitch is actually spread.
  private(set) var movedFrames: UInt64 = 0

  deinit { chain?.free() }

  mutating func freeChain() {
    chain?.free()
    chain = nil
  }

  /// Performs the pending preparation. Not real-time.
  mutating func prepare() throws(TimeDSPStatus) {
    switch preparation {
    case .nothing: return
    case .configure(let settings):
      if let chain { return try chain.pointee.reconfigure(settings) }
      let made = try Chain.made(for: settings)
      chain = try allocated(made)
    case .fit(let audio, let count, let length):
      freeChain()
      let fitted = try Chain.fitting(audio, count: count, length: length)
      chain = try allocated(fitted)
    case .move(let factor, let pitch, let frames):
      movedFrames = frames
      if let chain {
        movedFrames = try chain.pointee.move(to: factor, pitch: pitch, within: frames)
      }
    }
  }

  /// Scales the frames of `action`, or records that they are passed through, and stamps the output.
  /// Real-time.
  mutating func process(
    _ action: inout TimeScaleAction, _ input: UnsafePointer<UnsafeRawPointer?>?,
    _ output: UnsafePointer<UnsafeMutableRawPointer?>?
  ) throws(TimeDSPStatus) {
    guard let chain else { throw TIMEDSP_NULL_POINTER }
    if action.kind == TIMESCALE_PASS {
      try chain.pointee.pass(checked: input, frames: action.frames)
      _ = chain.pointee.isGap(action.frames, isSilent: action.silent != 0)
      action.stamp = clock.stamp(action.frames)
      return
    }
    let done =
      action.source == TIMESCALE_FROM_NOTHING
      ? try chain.pointee.drain(into: output, capacity: action.capacity)
      : try chain.pointee.process(
        input, frames: action.frames, into: output, capacity: action.capacity)
    action.frames_used = done.used
    action.frames_made = done.made
    action.more = done.hasMore ? 1 : 0
    if done.made > 0 { action.stamp = clock.stamp(done.made) }
  }
}
