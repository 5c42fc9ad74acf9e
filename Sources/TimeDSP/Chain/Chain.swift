// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Changes the duration and the pitch of a stream. A single scaler changes both together, like the
/// speed of a tape. For any other pitch, the scaler is followed by a stretcher and, to lower the
/// pitch, by a second scaler, the tail. `PitchParts` divides the change among these parts. A
/// gradual change of factor or pitch is called a move.
///
/// Memory is allocated on creation, and when a part is first needed. Apart from that, nothing
/// allocates, locks or makes system calls. A chain owns everything that its pointers refer to, so
/// it may be passed between threads.
package struct Chain: FrameStream, ~Copyable, @unchecked Sendable {
  let shape: AudioShape
  /// The requested settings, which the parts have or are moving to.
  private(set) var settings: ChainSettings
  var parts: PitchParts
  var scaler: Scaler
  /// The stretcher and its input; `nil` if there is none.
  private(set) var stretch: UnsafeMutablePointer<StretchStage>?
  /// The second scaler, after the stretcher; `nil` if there is none.
  private(set) var tail: UnsafeMutablePointer<TailScaler>?
  /// Parts that have been removed, until the next call that may block frees them.
  private var retired: (UnsafeMutablePointer<StretchStage>?, UnsafeMutablePointer<TailScaler>?)
  /// Whether the stretcher is writing its remaining frames, after which it is removed.
  var isLeaving = false
  /// The error of a failed move or change of settings, or `TIMEDSP_OK`. After an error, `process`
  /// fails, until `configure` makes a new chain before the first input frame.
  var failure = TIMEDSP_OK
  /// Length in input frames of the last requested move. A new stretcher begins this move only when
  /// it has received enough input.
  var moveFrames: UInt64 = 0
  /// Position in the input and the output at which the last move begins, in frames.
  var lastMove = (input: 0.0, output: 0.0)
  /// Up to input position `until`, the reported latency is at least `frames`: the latency before
  /// the last move, which the frames then in the chain still have.
  var minLatency = (frames: 0, until: 0.0)
  /// The input position from which the factor of the first scaler is constant.
  var steadyFrom = 0.0
  /// The curve of the whole chain from the end of the last move on. It determines how many frames a
  /// chain must output.
  var planned: CurveSection
  /// Number of input frames consumed.
  var received: Int64 = 0
  /// Number of output frames written.
  var made: Int64 = 0
  /// Number of successive silent input frames up to now. Before the stream, there is silence.
  var gapFrames = UInt64.max &>> 1
  /// The silence appended after the end of the input that has not been consumed yet (`drain`).
  var silence: FrameCursor
  /// The number of output frames after which `drain` stops; `nil` until it is known.
  var limit: Int64?
  /// A cursor whose memory `process` uses to track the input of a call.
  var input: FrameCursor
  private let memory: Storage
  let silentFrames: UnsafeMutableRawPointer

  /// Creates a chain with only a scaler.
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

// Functions that may block, because they allocate or free memory.
extension Chain {
  /// Creates a chain with the parts that `settings` need. Throws if the settings are invalid, or if
  /// memory cannot be allocated.
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

  /// Creates the parts that do not exist yet: the stretcher, and if `parts` requires them, the tail
  /// and the formant mover. New parts begin with the factors of `start`.
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

  /// Moves factor and pitch within `frames` input frames, beginning at the current position.
  /// Returns the actual length of the move, which may be larger than `frames`. If the move needs a
  /// new stretcher, it begins only after the stretcher has received a window of input.
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
  /// Removes stretcher and tail, which must have output all of their frames.
  mutating func retire() {
    retired = (stretch, tail)
    stretch = nil
    tail = nil
    isLeaving = false
  }

  /// Discards the stream, and keeps the settings. There must be no stretcher.
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
  /// Destroys and frees a value that was allocated by `allocated(_:)`.
  func free() {
    deinitialize(count: 1)
    timedsp_deallocate(self)
  }
}

// Comparisons with a tape, whose pitch and formants follow its speed.
extension TimePitch {
  package static var ofTape: TimePitch {
    TimePitch(
      kept: 0, semitones: 0, window: TIMESTRETCH_AUTO, formants: TIMECHAIN_FORMANTS_FOLLOW,
      formant_semitones: 0)
  }

  /// Whether the pitch is decoupled from the speed.
  var isChanged: Bool { kept != 0 || semitones != 0 }

  func isSame(as other: TimePitch) -> Bool {
    (kept != 0) == (other.kept != 0) && semitones == other.semitones
      && window.rawValue == other.window.rawValue
      && formants.rawValue == other.formants.rawValue
      && formant_semitones == other.formant_semitones
  }

  /// The ratio of `FormantLaw` for `parts`: the change of pitch divided by the change of formants,
  /// or 1 if formants need no correction.
  func formantRatio(_ parts: PitchParts) -> Double {
    let own = formant_semitones == 0 ? 1 : powerOfTwo(0 - formant_semitones / 12)
    guard formants == TIMECHAIN_FORMANTS_KEEP else { return own }
    return own * parts.pitch
  }
}

extension TimeDSPConfig {
  /// Whether a scaler with `other` would give the same output.
  func isSame(as other: TimeDSPConfig) -> Bool {
    format.rawValue == other.format.rawValue && layout.rawValue == other.layout.rawValue
      && interpolation.rawValue == other.interpolation.rawValue && channels == other.channels
      && (quality == other.quality || interpolation.rawValue != TIMEDSP_SINC.rawValue)
  }
}
