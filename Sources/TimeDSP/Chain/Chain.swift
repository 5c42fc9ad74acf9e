// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A stream on its way through a scaler, and through a stretcher and another scaler after that if
/// the pitch is not the one that a scaler alone makes: scaler, stretcher, scaler.
///
/// Memory is allocated when it is made, and when another pitch is first requested; in between
/// nothing in it allocates, locks or calls the system.
///
/// It owns everything that its pointers lead to, so it may move between threads.
package struct Chain: FrameStream, ~Copyable, @unchecked Sendable {
  let shape: AudioShape
  /// The requested settings. The parts have reached them or are moving there.
  private(set) var settings: ChainSettings
  var parts: PitchParts
  var scaler: Scaler
  /// The stretcher, if there is one, and the scaler after it.
  private(set) var stretch: UnsafeMutablePointer<StretchStage>?
  private(set) var tail: UnsafeMutablePointer<TailScaler>?
  /// Parts that are no longer needed. The next call that may block frees them.
  private var retired: (UnsafeMutablePointer<StretchStage>?, UnsafeMutablePointer<TailScaler>?)
  /// Whether the stretcher outputs everything that it holds, and is removed.
  var isLeaving = false
  /// The result of the last move.
  var failure = TIMEDSP_OK
  /// Frames of input within which a stretcher moves once it is warm.
  var moveFrames: UInt64 = 0
  /// Start of the last move, in the input and in the output.
  var lastMove = (input: 0.0, output: 0.0)
  /// Lookahead at a move of the stretcher, and the position up to which it counts: frames that were
  /// in the chain then keep that latency.
  var lookaheadHeld = (frames: 0, until: 0.0)
  /// From which place of the input on the scaler keeps to its factor.
  var steadyFrom = 0.0
  /// Length of the output since the last move.
  var line: LengthLine
  /// Frames consumed and frames made.
  var received: Int64 = 0
  var made: Int64 = 0
  /// Whether the last frames were passed through.
  var passes = false
  /// Frames of input up to now that were silent; as if silence had come before the first.
  var gapFrames = UInt64.max &>> 1
  /// Frames of silence that are still to be consumed after the end, and the number of frames that
  /// the output must have in the end, once that is known.
  var silence: FrameCursor
  var limit: Int64?
  /// The input of the present call.
  var input: FrameCursor
  private let memory: Storage
  let silentFrames: UnsafeMutableRawPointer

  /// One scaler alone.
  init(
    _ settings: ChainSettings, _ parts: PitchParts, _ positions: Positions
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
    line = LengthLine(factor: settings.factor)
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

// Functions that may block.
extension Chain {
  /// Makes the parts that `settings` need. Throws if they are not sound, or the memory
  /// cannot be had.
  package static func made(for settings: ChainSettings) throws(TimeDSPStatus) -> Chain {
    let plain = try PitchParts(settings)
    let movesFormants = settings.pitch.formantRatio(plain) != 1
    let parts = movesFormants ? plain : plain.joined
    guard let factor = Fraction(factor: parts.before) else { throw TIMEDSP_BAD_FACTOR }
    var chain = try Chain(settings, parts, .stream(StreamPositions(factor: factor)))
    if parts.stretch != 1 || movesFormants || settings.moves && settings.pitch.isChanged {
      try chain.ensure(parts, from: parts)
      chain.moveFormants(isFirst: true)
    }
    return chain
  }

  /// Allocates the parts that `parts` needs and that do not exist. A stretcher begins with the
  /// factor of `start`, and so does a scaler after it.
  mutating func ensure(_ parts: PitchParts, from start: PitchParts) throws(TimeDSPStatus) {
    freeRetired()
    guard let factor = Fraction(factor: start.stretch), let after = Fraction(factor: start.after)
    else { throw TIMEDSP_BAD_FACTOR }
    if stretch == nil {
      let stage = try StretchStage(settings.stretch, factor, after: made)
      stretch = try placed(stage)
    }
    if parts.after != 1, tail == nil {
      let stage = try TailScaler(scaler.settings, after, after: stretch?.pointee.given ?? 0)
      tail = try placed(stage)
    }
    try tail?.pointee.reserve()
    if settings.pitch.formantRatio(parts) != 1 {
      try stretch?.pointee.ensureFormants(from: received)
    }
  }

  /// Continues with other settings, except for factor and pitch. A stream without any output yet
  /// adopts the pitch, too: it need not move there.
  mutating func configure(_ wanted: ChainSettings) throws(TimeDSPStatus) {
    freeRetired()
    if received == 0, !settings.pitch.isSame(as: wanted.pitch) {
      self = try Chain.made(for: wanted)
      return
    }
    settings.moves = wanted.moves
    if settings.audio.isSame(as: wanted.audio) { return }
    let plain = try ScalerSettings(wanted.audio)
    try require(plain.shape.isSame(as: shape) && scaler.isStream, else: TIMEDSP_BAD_FORMAT)
    guard let factor = Fraction(factor: parts.before) else { throw TIMEDSP_BAD_FACTOR }
    var next = try Scaler(plain, .stream(StreamPositions(factor: factor)))
    next.adopt(scaler)
    try tail?.pointee.reconfigure(plain)
    scaler = next
    settings.audio = wanted.audio
  }

  /// Moves factor and pitch within `frames` frames of input, from the present position on. Returns
  /// within how many: it may be more. A new stretcher moves later, after a window of sound.
  mutating func move(
    to factor: Double, _ pitch: TimePitch, within frames: UInt64
  ) throws(TimeDSPStatus) -> UInt64 {
    lastMove = movePlace
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
    lastMove = movePlace
    return frames
  }

  private mutating func freeRetired() {
    retired.0?.free()
    retired.1?.free()
    retired = (nil, nil)
  }
}

extension Chain {
  /// Removes the stretcher, which has output everything that it held.
  mutating func retire() {
    retired = (stretch, tail)
    stretch = nil
    tail = nil
    isLeaving = false
  }

  /// Restarts with the same settings; only without a stretcher.
  mutating func reset() {
    scaler.reset()
    line = LengthLine(factor: settings.factor)
    received = 0
    made = 0
    passes = false
    lookaheadHeld = (0, 0)
    steadyFrom = 0
    gapFrames = .max &>> 1
    limit = nil
    failure = TIMEDSP_OK
  }
}

extension UnsafeMutablePointer where Pointee: ~Copyable {
  /// Frees a value made by `placed()`.
  func free() {
    deinitialize(count: 1)
    timedsp_deallocate(self)
  }
}

extension ChainSettings {
  /// The configuration of a stretcher. The rate only chooses the length of the window.
  fileprivate var stretch: TimeStretchConfig {
    TimeStretchConfig(
      format: audio.format, layout: audio.layout, channels: audio.channels,
      rate: min(max(rate, UInt32(TIMESTRETCH_MIN_RATE)), UInt32(TIMESTRETCH_MAX_RATE)),
      window: pitch.window)
  }
}

// The difference of a pitch from that of a tape, which is decided here and nowhere else.
extension TimePitch {
  package static var ofTape: TimePitch {
    TimePitch(
      kept: 0, semitones: 0, window: TIMESTRETCH_AUTO, formants: TIMECHAIN_FORMANTS_FOLLOW,
      formant_semitones: 0)
  }

  /// Whether pitch is decoupled from speed.
  var isChanged: Bool { kept != 0 || semitones != 0 }

  /// Whether it is that of a tape whatever the factor, formants too.
  var isOfTape: Bool {
    !isChanged && formants == TIMECHAIN_FORMANTS_FOLLOW && formant_semitones == 0
  }

  /// Whether it is that of a tape at factor 1, formants too.
  var isUnmoved: Bool { semitones == 0 && formant_semitones == 0 }

  func isSame(as other: TimePitch) -> Bool {
    (kept != 0) == (other.kept != 0) && semitones == other.semitones
      && window.rawValue == other.window.rawValue
      && formants.rawValue == other.formants.rawValue
      && formant_semitones == other.formant_semitones
  }

  /// The factor from an input frequency of a chain of `parts` to the frequency of the envelope that
  /// belongs there: how much higher the pitch becomes, divided by how much higher formants do. 1 if
  /// formants need no change.
  func formantRatio(_ parts: PitchParts) -> Double {
    let own = formant_semitones == 0 ? 1 : powerOfTwo(0 - formant_semitones / 12)
    guard formants == TIMECHAIN_FORMANTS_KEEP else { return own }
    return own * parts.pitch
  }
}

extension TimeDSPConfig {
  /// Whether a scaler for `other` does the same.
  fileprivate func isSame(as other: TimeDSPConfig) -> Bool {
    format.rawValue == other.format.rawValue && layout.rawValue == other.layout.rawValue
      && interpolation.rawValue == other.interpolation.rawValue && channels == other.channels
      && (quality == other.quality || interpolation.rawValue != TIMEDSP_SINC.rawValue)
  }
}
