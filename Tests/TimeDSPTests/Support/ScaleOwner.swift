// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// Performs the actions of a scaling session, as the element `timescale` does, and records them.
/// The stream has one channel of Float at 8 kHz; the sample of frame n is n. The interpolation is
/// linear.
final class ScaleOwner {
  static let rate: UInt32 = 8000
  static let frameNs: UInt64 = 125_000

  var session: ScaleSession
  /// All actions of the session so far.
  var said: [TimeScaleAction] = []
  var kinds: [TimeScaleKind] { said.map(\.kind) }
  /// The output frames, and the timestamps of their buffers.
  var made: [Float] = []
  var stamps: [TimeScaleStamp] = []
  /// Called during each action, with the number of earlier actions.
  var meanwhile: ((ScaleOwner, Int) -> Void)?

  var settings: TimeScaleSettings { didSet { session.configure(settings) } }
  private var next = 0
  private var ptsNs: UInt64 = 0
  private var actions = 0

  init(factor: Double = 1, pitch: TimePitch = .ofTape) throws {
    session = try ScaleSession()
    settings = session.wanted
    settings.factor = factor
    settings.interpolation = TIMEDSP_LINEAR
    settings.pitch = pitch
    session.configure(settings)
    let audio = TimeDSPConfig(
      format: TIMEDSP_F32, layout: TIMEDSP_INTERLEAVED, interpolation: TIMEDSP_LINEAR, channels: 1,
      quality: 0)
    session.setFormat(audio, rate: Self.rate)
  }

  func begin() {
    session.begin(
      TimeSegment(
        rate: 1, applied_rate: 1, base: 0, offset: 0, start: 0, stop: noTime, time: 0, position: 0,
        duration: noTime))
    run([])
  }

  func feed(_ frames: Int, isDiscont: Bool = false) {
    let input = (next..<next + frames).map { Float($0) }
    next += frames
    var buffer = TimeScaleBuffer()
    (buffer.pts_ns, buffer.duration_ns) = (ptsNs, UInt64(frames) * Self.frameNs)
    buffer.frames = frames
    buffer.discont = isDiscont ? 1 : 0
    buffer.sent_stop_ns = noTime
    ptsNs += buffer.duration_ns
    session.receive(buffer)
    run(input)
  }

  func sendGap(_ duration: UInt64) {
    session.receiveGap(ptsNs, duration)
    ptsNs += duration
    run([])
  }

  /// Whether the session has no action to perform now.
  var isReady: Bool { session.next(isControlled: false) == nil }

  func end() {
    session.end()
    run([])
  }

  /// Performs all actions of the session.
  private func run(_ input: [Float]) {
    while let action = session.next(isControlled: false) {
      said.append(action.pointee)
      act(&action.pointee, input)
      meanwhile?(self, actions)
      actions += 1
      session.done()
    }
  }

  private func act(_ action: inout TimeScaleAction, _ input: [Float]) {
    switch action.kind {
    case TIMESCALE_PREPARE: timescale_prepare(&action)
    case TIMESCALE_PASS, TIMESCALE_PROCESS: scale(&action, input)
    case TIMESCALE_ASK_DURATION: action.duration_ns = noTime
    default: break
    }
  }

  private func scale(_ action: inout TimeScaleAction, _ input: [Float]) {
    var output = [Float](repeating: .nan, count: action.capacity)
    input.withUnsafeBufferPointer { source in
      output.withUnsafeMutableBufferPointer { output in
        var from = source.baseAddress.map { UnsafeRawPointer($0 + Int(action.first)) }
        var to = output.baseAddress.map { UnsafeMutableRawPointer($0) }
        timescale_process(&action, &from, &to)
      }
    }
    guard action.status == TIMEDSP_OK else { return }
    let isPassed = action.kind == TIMESCALE_PASS
    made += isPassed ? input : Array(output.prefix(action.frames_made))
    if isPassed || action.frames_made > 0 { stamps.append(action.stamp) }
  }
}
