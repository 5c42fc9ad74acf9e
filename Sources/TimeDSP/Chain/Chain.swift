// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Changes the duration and the pitch of a stream. A single scaler changes both together, like the
/// speed of a tape. For any other pitch, a stretcher follows the scaler, and to lower the pitch, a
/// second scaler: the tail. `PitchParts` divides the change among them. We call a gradual change of
/// factor or pitch a move.
///
/// Memory is allocated on creation, and when a part is first needed. Apart from that, nothing
/// allocates, locks or makes system calls. A chain owns all that its pointers refer to, so you may
/// hand it to another thread.
package struct Chain: FrameStream, ~Copyable, @unchecked Sendable {
  let shape: AudioShape
  /// What the parts have, or are moving to.
  private(set) var settings: ChainSettings
  var parts: PitchParts
  var scaler: Scaler
  private(set) var stretch: UnsafeMutablePointer<StretchStage>?
  private(set) var tail: UnsafeMutablePointer<TailScaler>?
  /// Parts that are gone. The next call that may block frees them.
  private var retired: (UnsafeMutablePointer<StretchStage>?, UnsafeMutablePointer<TailScaler>?)
  /// The stretcher is writing its last frames, and then goes.
  var isLeaving = false
  /// After a failed move or change of settings, `process` fails with this, until `configure` makes
  /// a new chain before the first input frame.
  var failure = TIMEDSP_OK
  /// Input frames of the last requested move. A new stretcher begins it only when it has enough
  /// input.
  var moveFrames: UInt64 = 0
  var lastMove = (input: 0.0, output: 0.0)
  /// Frames that were in the chain when the last move began still have the latency before it. So we
  /// report at least `frames` up to input position `until`.
  var minLatency = (frames: 0, until: 0.0)
  /// From this input position on, the factor of the first scaler is constant.
  var steadyFrom = 0.0
  /// The curve of the whole chain after the last move. It decides how many frames a chain must
  /// output.
  var planned: CurveSection
  var received: Int64 = 0
  var made: Int64 = 0
  /// Successive silent input frames up to now. Before the stream, there's silence.
  var gapFrames = UInt64.max &>> 1
  /// What's left of the silence that `drain` appends to the input.
  var silence: FrameCursor
  /// After this many output frames, `drain` stops. `nil` until we know.
  var limit: Int64?
  /// A cursor whose memory `process` uses for the input of a call.
  var input: FrameCursor
  private let memory: Storage
  let silentFrames: UnsafeMutableRawPointer

  init(
    _ settings: ChainSettings, _ parts: PitchParts, _ positions: ReadCursor
  ) throws(TimeDSPStatus) {
    let plain = try ScalerSettings(settings.audio)
    let cursorBytes = FrameCursor.bytes(plain.shape)
    let silentBytes = Scratch.capacity &* plain.shape.frameBytes
    let memory = try Storage(bytes: silentBytes &+ 2 &* cursorBytes)
    let scaler = try Scaler(plain, positions)
    self.settings = settings
    self.parts = parts
    self.scaler = scaler
    shape = plain.shape
    planned = CurveSection(Fraction(nearest: settings.factor))
    silentFrames = memory.base
    timedsp_clear(silentFrames, silentBytes)
    input = FrameCursor(plain.shape, memory: memory.base + silentBytes)
    silence = FrameCursor(plain.shape, memory: memory.base + silentBytes + cursorBytes)
    self.memory = memory
    retired = (nil, nil)
  }

  deinit {
    if let stretch { stretch.free() }
    if let tail { tail.free() }
    retired.0?.free()
    retired.1?.free()
  }
}

// These may block, because they allocate or free memory.
extension Chain {
  /// With the parts that `settings` need. Throws if they're invalid, or if there's no memory.
  package static func made(for settings: ChainSettings) throws(TimeDSPStatus) -> Chain {
    let plain = try PitchParts(settings)
    let movesFormants = settings.pitch.formantRatio(plain) != 1
    let parts = movesFormants ? plain : plain.joined
    guard let factor = Fraction(factor: parts.before) else { throw TIMEDSP_BAD_FACTOR }
    var chain = try Chain(settings, parts, ReadCursor(factor))
    if parts.stretch != 1 || movesFormants || settings.moves && settings.pitch.isChanged {
      try chain.ensure(parts, from: parts)
      chain.moveFormants(isFirst: true)
    }
    return chain
  }

  /// Creates the parts that are missing: the stretcher, and if `parts` needs them, the tail and the
  /// formant mover. New parts begin with the factors of `start`.
  mutating func ensure(_ parts: PitchParts, from start: PitchParts) throws(TimeDSPStatus) {
    freeRetired()
    guard let factor = Fraction(factor: start.stretch), let after = Fraction(factor: start.after)
    else { throw TIMEDSP_BAD_FACTOR }
    if stretch == nil {
      let layout = StretchLayout(shape, settings.pitch.window, rate: settings.rate)
      let stage = try StretchStage(layout, factor, after: made)
      stretch = try allocated(stage)
    }
    if parts.after != 1, tail == nil {
      let stage = try TailScaler(scaler.settings, after, after: stretch?.pointee.given ?? 0)
      tail = try allocated(stage)
    }
    if settings.pitch.formantRatio(parts) != 1 {
      try stretch?.pointee.ensureFormants(from: received)
    }
  }

  /// Changes interpolation, quality and `moves`. Before the first input frame, all settings except
  /// the format of the frames may change.
  mutating func configure(_ wanted: ChainSettings) throws(TimeDSPStatus) {
    freeRetired()
    if failure == TIMEDSP_OK, settings.isSame(as: wanted) { return }
    let plain = try ScalerSettings(wanted.audio)
    try require(plain.shape.isSame(as: shape) && scaler.isStream, else: TIMEDSP_BAD_FORMAT)
    if received == 0 {
      self = try Chain.made(for: wanted)
      return
    }
    settings.moves = wanted.moves
    if settings.audio.isSame(as: wanted.audio) { return }
    guard let factor = Fraction(factor: parts.before) else { throw TIMEDSP_BAD_FACTOR }
    var next = try Scaler(plain, ReadCursor(factor))
    next.adopt(scaler)
    try tail?.pointee.reconfigure(plain)
    scaler = next
    settings.audio = wanted.audio
  }

  /// Moves factor and pitch within `frames` input frames, from the current position on. Returns the
  /// actual length, which may be larger. If the move needs a new stretcher, it begins only after
  /// the stretcher has received a window of input.
  mutating func move(
    to factor: Double, _ pitch: TimePitch, within frames: UInt64
  ) throws(TimeDSPStatus) -> UInt64 {
    lastMove = movePosition
    if factor == settings.factor, pitch.isSame(as: settings.pitch) { return frames }
    settings.factor = factor
    settings.pitch = pitch
    moveFrames = frames
    let wanted = divided
    if wanted.stretch != 1 || wanted.after != 1 || pitch.formantRatio(wanted) != 1 {
      do { try ensure(wanted, from: PitchParts(before: 1, stretch: 1, after: 1)) } catch {
        failure = error
        throw error
      }
    }
    guard let stretch, stretch.pointee.warm > 0 else {
      return moveOn(isEarly: !settings.moves)
    }
    lastMove = movePosition
    return frames
  }

  private mutating func freeRetired() {
    retired.0?.free()
    retired.1?.free()
    retired = (nil, nil)
  }
}

extension Chain {
  /// Removes stretcher and tail. They must have output all of their frames.
  mutating func retire() {
    retired = (stretch, tail)
    stretch = nil
    tail = nil
    isLeaving = false
  }

  /// Keeps the settings. There must be no stretcher.
  mutating func reset() {
    scaler.reset()
    planned = CurveSection(planned.factor)
    received = 0
    made = 0
    minLatency = (0, 0)
    steadyFrom = 0
    gapFrames = .max &>> 1
    limit = nil
    failure = TIMEDSP_OK
  }
}

extension UnsafeMutablePointer where Pointee: ~Copyable {
  func free() {
    deinitialize(count: 1)
    timedsp_deallocate(self)
  }
}

// Compared with a tape, whose pitch and formants follow its speed.
extension TimePitch {
  package static var ofTape: TimePitch {
    TimePitch(
      kept: 0, semitones: 0, window: TIMESTRETCH_AUTO, formants: TIMECHAIN_FORMANTS_FOLLOW,
      formant_semitones: 0)
  }

  var isChanged: Bool { kept != 0 || semitones != 0 }

  func isSame(as other: TimePitch) -> Bool {
    (kept != 0) == (other.kept != 0) && semitones == other.semitones
      && window.rawValue == other.window.rawValue
      && formants.rawValue == other.formants.rawValue
      && formant_semitones == other.formant_semitones
  }

  /// For `FormantLaw`: the change of pitch / the change of formants, or 1 if formants need no
  /// correction.
  func formantRatio(_ parts: PitchParts) -> Double {
    let own = formant_semitones == 0 ? 1 : powerOfTwo(0 - formant_semitones / 12)
    guard formants == TIMECHAIN_FORMANTS_KEEP else { return own }
    return own * parts.pitch
  }
}

extension TimeDSPConfig {
  /// A scaler with `other` gives the same output then.
  func isSame(as other: TimeDSPConfig) -> Bool {
    format.rawValue == other.format.rawValue && layout.rawValue == other.layout.rawValue
      && interpolation.rawValue == other.interpolation.rawValue && channels == other.channels
      && (quality == other.quality || interpolation.rawValue != TIMEDSP_SINC.rawValue)
  }
}
