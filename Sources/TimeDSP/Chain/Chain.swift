// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Changes the duration and the pitch of a stream. A single scaler changes both together, like the
/// speed of a tape. For any other pitch, a stretcher follows the scaler, and if the pitch goes
/// down, there's also a second scaler, the tail. `PitchParts` splits the change between them. We
/// call a gradual change of the factor or the pitch a ramp.
///
/// We allocate memory when the chain is created, and when a part is first needed. Apart from that,
/// nothing allocates, locks or makes system calls. A chain owns everything that its pointers refer
/// to, so you may hand it to another thread.
package struct Chain: FrameStream, ~Copyable, @unchecked Sendable {
  let shape: AudioShape
  /// The settings that the parts have or are moving to.
  private(set) var settings: ChainSettings
  var parts: PitchParts
  var scaler: Scaler
  private(set) var stretch: UnsafeMutablePointer<StretchStage>?
  private(set) var tail: UnsafeMutablePointer<TailScaler>?
  /// If a ramp or a change of settings fails, `process` keeps failing with this, until `configure`
  /// makes a new chain before the first input frame.
  var failure = TIMEDSP_OK
  /// Length of the last requested ramp in input frames. A new stretcher only begins the ramp once
  /// it has enough input.
  private var rampFrames: UInt64 = 0
  var lastRamp = (input: 0.0, output: 0.0)
  /// Frames that were already in the chain when the last ramp began still have the old latency.
  /// That's why we report at least `frames` up to input position `until`.
  private var minLatency = (frames: 0, until: 0.0)
  /// The first scaler's factor is constant after this input position.
  var steadyFrom = 0.0
  /// The curve of the whole chain after the last ramp. It determines how many frames the chain must
  /// output.
  var planned: CurveSection
  var received: Int64 = 0
  var made: Int64 = 0
  /// Where the last part of the input that wasn't silent ended. The stream is preceded by silence.
  private var soundEnd = Int64.min &>> 1
  /// The rest of the silence that `drain` appends to the input.
  private var silence = FrameCursor(nil, 0)
  /// `drain` stops after this many output frames. `nil` until we know.
  var limit: Int64?
  private let memory: Arena
  /// Each plane is the same silence.
  private let silentPlanes: Row<UnsafeRawPointer?>

  init(
    _ settings: ChainSettings, _ parts: PitchParts, _ positions: ReadCursor
  ) throws(TimeDSPStatus) {
    let plain = try ScalerSettings(settings.audio)
    let scaler = try Scaler(plain, positions)
    var memory = Arena()
    let silent: Row<UInt8> = try memory.row(Scratch.capacity &* plain.shape.frameBytes)
    let silentPlanes: Row<UnsafeRawPointer?> = try memory.row(plain.shape.planes)
    silentPlanes.fill(UnsafeRawPointer(silent.address(0)))
    self.scaler = scaler
    self.memory = memory
    self.silentPlanes = silentPlanes
    shape = plain.shape
    (self.settings, self.parts) = (settings, parts)
    planned = CurveSection(Fraction(nearest: settings.factor))
  }

  deinit {
    stretch?.free()
    tail?.free()
  }
}

// These functions may block, because they allocate or free memory.
extension Chain {
  /// Makes a chain with the parts that `settings` need. Throws if they're invalid, or if we run out
  /// of memory.
  package static func made(for settings: ChainSettings) throws(TimeDSPStatus) -> Chain {
    try require(isSound(settings.factor, settings.pitch), else: TIMEDSP_BAD_FACTOR)
    let plain = PitchParts(settings)
    let movesFormants = settings.pitch.formantRatio(plain) != 1
    let parts = movesFormants ? plain : plain.joined
    var chain = try Chain(settings, parts, ReadCursor(Fraction(nearest: parts.before)))
    if parts.stretch != 1 || movesFormants || settings.followsCurve && settings.pitch.isChanged {
      try chain.ensure(parts, from: parts)
      chain.moveFormants(isFirst: true)
    }
    return chain
  }

  /// Creates any parts that are missing: the stretcher, and the tail and the formant mover if
  /// `parts` needs them. New parts start out with the factors of `start`.
  private mutating func ensure(_ parts: PitchParts, from start: PitchParts) throws(TimeDSPStatus) {
    if stretch == nil {
      let factor = Fraction(nearest: start.stretch)
      stretch = try allocated(StretchStage(shape, settings, factor, after: made))
    }
    if parts.after != 1, tail == nil {
      let (factor, given) = (Fraction(nearest: start.after), stretch?.pointee.stretcher.made ?? 0)
      tail = try allocated(TailScaler(scaler.settings, factor, after: given))
    }
    if settings.pitch.formantRatio(parts) != 1 {
      try stretch?.pointee.ensureFormants(from: received)
    }
  }

  /// Changes the interpolation, the quality and `followsCurve`. Before the first input frame, you
  /// may change any setting except the format of the frames.
  private mutating func configure(_ wanted: ChainSettings) throws(TimeDSPStatus) {
    if failure == TIMEDSP_OK, settings.isSame(as: wanted) { return }
    let plain = try ScalerSettings(wanted.audio)
    try require(plain.shape == shape && scaler.isStream, else: TIMEDSP_BAD_FORMAT)
    if received == 0 {
      self = try Chain.made(for: wanted)
      return
    }
    settings.followsCurve = wanted.followsCurve
    if settings.audio.isSame(as: wanted.audio) { return }
    var next = try Scaler(plain, ReadCursor(Fraction(nearest: parts.before)))
    next.adopt(scaler)
    try tail?.pointee.reconfigure(plain)
    scaler = next
    settings.audio = wanted.audio
  }
}

// These are relative to a tape, where the pitch and the formants follow the speed.
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

  /// The ratio for `FormantLaw`: the change in pitch / the change in formants, or 1 if formants
  /// don't need correcting.
  fileprivate func formantRatio(_ parts: PitchParts) -> Double {
    let own = formant_semitones == 0 ? 1 : powerOfTwo(0 - formant_semitones / 12)
    guard formants == TIMECHAIN_FORMANTS_KEEP else { return own }
    return own * parts.pitch
  }
}

extension TimeDSPConfig {
  /// True if a scaler with `other` would give the same output.
  func isSame(as other: TimeDSPConfig) -> Bool {
    format.rawValue == other.format.rawValue && layout.rawValue == other.layout.rawValue
      && interpolation.rawValue == other.interpolation.rawValue && channels == other.channels
      && (quality == other.quality || interpolation.rawValue != TIMEDSP_SINC.rawValue)
  }
}

// The interface for callers in C and Swift. We check all arguments before we touch memory.
extension Chain {
  /// Consumes frames from `input` and writes the result to `output`. Both are arrays of plane
  /// addresses. The output doesn't depend on how you split the input between calls, as long as
  /// ramps begin at the same input frames. Real-time.
  package mutating func process(
    _ input: InputPlanes?, frames: Int,
    into output: OutputPlanes?, capacity: Int
  ) throws(TimeDSPStatus) -> ChainProgress {
    try check(input, frames, output, capacity)
    try require(frames == 0 || !hasEnded, else: TIMEDSP_FINISHED)
    try require(failure == TIMEDSP_OK, else: failure)
    var sink = FrameSink(planes: output, capacity: capacity)
    var rest = FrameCursor(input, frames)
    run(&rest, into: &sink)
    received &+= Int64(frames &- rest.count)
    made &+= Int64(sink.made)
    let hasMore = stretch == nil ? sink.room == 0 : isReady
    return ChainProgress(used: frames &- rest.count, made: sink.made, hasMore: hasMore)
  }

  /// Writes the frames that are left after the end of the input. Keep calling it until `hasMore` is
  /// false. Real-time.
  package mutating func drain(
    into output: OutputPlanes?, capacity: Int
  ) throws(TimeDSPStatus) -> ChainProgress {
    try check(nil, 0, output, capacity)
    var sink = FrameSink(planes: output, capacity: capacity)
    let hasMore = drain(into: &sink)
    made &+= Int64(sink.made)
    return ChainProgress(made: sink.made, hasMore: hasMore)
  }

  /// Gradually changes the factor and the pitch over the next `frames` input frames. Returns the
  /// actual length of the ramp, which may be larger than `frames` after `pass`. May allocate
  /// memory.
  ///
  /// If only the stretcher's factor changes and `settings.followsCurve` is false, the ramp begins
  /// earlier, at the first input frame that hasn't affected any output yet. The speed, 1 / factor,
  /// changes linearly over the output. A ramp from factor f0 to f1 therefore takes 2 × `frames` /
  /// (1 / f0 + 1 / f1) output frames. If it needs a new stretcher, it doesn't begin until the
  /// stretcher has received a window of input.
  package mutating func ramp(
    to factor: Double, pitch: TimePitch, within frames: UInt64
  ) throws(TimeDSPStatus) -> UInt64 {
    try require(Self.isSound(factor, pitch) && scaler.isStream, else: TIMEDSP_BAD_FACTOR)
    _ = try streamLength(frames)
    lastRamp = rampPosition
    if factor == settings.factor, pitch.isSame(as: settings.pitch) { return frames }
    settings.factor = factor
    settings.pitch = pitch
    rampFrames = frames
    let wanted = divided
    if wanted.stretch != 1 || wanted.after != 1 || pitch.formantRatio(wanted) != 1 {
      do { try ensure(wanted, from: PitchParts(before: 1, stretch: 1, after: 1)) } catch {
        failure = error
        throw error
      }
    }
    guard let stretch, stretch.pointee.warm > 0 else {
      return beginRamp(isEarly: !settings.followsCurve)
    }
    lastRamp = rampPosition
    return frames
  }

  /// How many more output frames to expect if the input ends after `frames` more frames. It's at
  /// most two frames too high, except during a ramp, when it may be up to twice the actual number.
  /// Real-time.
  package func framesDue(after frames: UInt64) throws(TimeDSPStatus) -> UInt64 {
    let frames = try streamLength(frames)
    try require(frames <= maxFrames &- received, else: TIMEDSP_BAD_LENGTH)
    let due = scaler.framesDue(frames)
    guard let stretch else { return due }
    if planned.factor == Fraction(factor: settings.factor),
      let length = planned.length(of: received &+ frames)
    {
      return UInt64(truncatingIfNeeded: max(length &- made, 0))
    }
    let held = Int64(truncatingIfNeeded: min(due, UInt64(truncatingIfNeeded: maxFrames)))
    let given = stretch.pointee.stretcher.made &+ stretch.pointee.stretcher.framesDue(held)
    var end = output(of: Double(given))
    if stretch.pointee.warm > 0 {
      // the requested factor won't apply until a new stretcher has received enough input
      let warm = timedsp_whole_part(Double(stretch.pointee.warm) / parts.before)
      end += Double(frames &- min(frames, warm)) * (settings.factor - parts.factor)
    }
    return UInt64(truncatingIfNeeded: timedsp_whole_part(max(end - Double(made), 0)))
  }

  /// Counts frames that you've passed on unmodified. Throws if the chain would have changed them.
  /// Real-time.
  package mutating func pass(checked input: InputPlanes?, frames: Int) throws(TimeDSPStatus) {
    try check(input, frames, nil, 0)
    try require(frames == 0 || !hasEnded, else: TIMEDSP_FINISHED)
    try require(mayPass, else: TIMEDSP_BAD_FACTOR)
    if frames == 0 { return }
    try require(scaler.pass(FrameCursor(input, frames)), else: TIMEDSP_BAD_FACTOR)
    received &+= Int64(frames)
    made &+= Int64(frames)
  }

  /// Changes the interpolation, the quality and `followsCurve`. Before the first input frame, you
  /// may change any setting except the format of the frames. If we run out of memory, this fails,
  /// and so will `process`, until you successfully change the settings before the first input
  /// frame.
  package mutating func reconfigure(_ settings: ChainSettings) throws(TimeDSPStatus) {
    do throws(TimeDSPStatus) { try configure(settings) } catch {
      if error == TIMEDSP_NO_MEMORY { failure = error }
      throw error
    }
  }

  /// Makes a chain with a single scaler that turns exactly `count` frames into `length` frames.
  package static func fitting(
    _ audio: TimeDSPConfig, count: UInt64, length: UInt64
  ) throws(TimeDSPStatus) -> Chain {
    let positions = try ReadCursor(count: count, length: length, ScalerSettings(audio))
    let settings = ChainSettings(audio: audio, rate: 0, factor: 1, pitch: .ofTape)
    let alone = PitchParts(before: 1, stretch: 1, after: 1)
    return try Chain(settings, alone, positions)
  }

  fileprivate static func isSound(_ factor: Double, _ pitch: TimePitch) -> Bool {
    factor >= TIMEDSP_MIN_FACTOR && factor <= TIMEDSP_MAX_FACTOR
      && pitch.semitones.magnitude <= TIMECHAIN_MAX_SEMITONES
      && pitch.window.rawValue <= TIMESTRETCH_LOW_LATENCY.rawValue
      && pitch.formants.rawValue <= TIMECHAIN_FORMANTS_KEEP.rawValue
      && pitch.formant_semitones.magnitude <= TIMECHAIN_MAX_SEMITONES
  }
}

extension PitchParts {
  init(_ settings: ChainSettings) {
    self.init(
      factor: settings.factor, keepsPitch: settings.pitch.kept != 0,
      semitones: settings.pitch.semitones)
  }
}

/// The max output capacity of a call, in frames, because a short buffer would otherwise get very
/// long at factor 100.
private let maxRoom: Int64 = 16384

/// Max input frames per output frame.
private let longestSpan = 100

extension Chain {
  /// True if you may pass input straight through instead of processing it.
  var mayPass: Bool { parts.before == 1 && stretch == nil && failure == TIMEDSP_OK }

  /// The frames that you've given last weren't silent.
  mutating func noteSound() { soundEnd = received }

  /// How many more input frames have to be silent before all output comes from silence, which makes
  /// it a gap.
  var framesBeforeGap: Int {
    let needed = Int64(2 &* latency &+ longestSpan)
    return Int(truncatingIfNeeded: needed &- min(received &- soundEnd, needed))
  }

  /// The output capacity for `frames` input frames. It may not be enough while the factor is
  /// changing, and then you need another call.
  func room(for frames: Int64) -> Int {
    let due = scaler.framesDue(frames)
    let plain = Int64(truncatingIfNeeded: min(due, UInt64(truncatingIfNeeded: maxRoom)))
    guard let stretch else { return Int(truncatingIfNeeded: min(plain &+ 1, maxRoom)) }
    // the ready frames, the output of the new ones, and a hop. Frames from before a ramp may have
    // been stretched more
    let hop = Double(stretch.pointee.stretcher.sizes.longest &>> 2)
    let given = Double(stretch.pointee.stretcher.ready) + hop + 2
    let longest = inputPosition < minLatency.until ? 2 * max(parts.stretch, 1) : parts.stretch
    let stretched = given + Double(frames) * parts.before * longest
    let room = min(stretched * parts.after + 2, Double(maxRoom))
    return Int(truncatingIfNeeded: min(timedsp_whole_part(room), (limit ?? .max) &- made))
  }
}

// Processing when there's a stretcher.
extension Chain {
  var isReady: Bool {
    guard let stretch else { return false }
    return stretch.pointee.stretcher.ready > 0 || tail?.pointee.isReady == true
  }

  /// Consumes `input` and writes its output.
  private mutating func run(_ input: inout FrameCursor, into sink: inout FrameSink) {
    guard let stretch else { return scaler.process(&input, into: &sink) }
    consume(&input)
    while sink.room > 0, isReady {
      if let tail {
        tail.pointee.emit(from: stretch, into: &sink)
      } else {
        stretch.pointee.emit(to: &sink)
      }
      consume(&input)
    }
  }

  /// Feeds the stretcher until it has finished frames.
  private mutating func consume(_ input: inout FrameCursor) {
    guard let stretch else { return }
    while stretch.pointee.stretcher.ready == 0 {
      if stretch.pointee.scratch.rest.count == 0 { fillScratch(stretch, &input) }
      if stretch.pointee.scratch.rest.count == 0 { return }
      if stretch.pointee.consume() { _ = beginRamp(isEarly: false) }
    }
  }

  /// The scratch memory stays empty if there isn't enough input.
  private mutating func fillScratch(
    _ stretch: UnsafeMutablePointer<StretchStage>, _ input: inout FrameCursor
  ) {
    let warm = Int(truncatingIfNeeded: stretch.pointee.warm)
    let capacity = warm > 0 ? min(warm, Scratch.capacity) : Scratch.capacity
    var sink = stretch.pointee.scratch.sink(capacity)
    let old = input
    scaler.process(&input, into: &sink)
    stretch.pointee.stretcher.formants?.pointee.receive(old, old.count &- input.count)
    stretch.pointee.scratch.fill(sink.made)
  }
}

extension Chain {
  /// The factors of the scalers and the stretcher for the requested factor and pitch. We only use a
  /// single scaler, unless the pitch or the formants need the stretcher, or we already have one.
  var divided: PitchParts {
    let parts = PitchParts(settings)
    return stretch == nil && settings.pitch.formantRatio(parts) == 1 ? parts.joined : parts
  }

  /// Applies the requested formants, starting at the next frame of the first scaler. If `isFirst`
  /// is set, they also apply to earlier frames.
  func moveFormants(isFirst: Bool) {
    let isKept = settings.pitch.formants == TIMECHAIN_FORMANTS_KEEP
    stretch?.pointee.moveFormants(
      at: inputPosition, speed: 1 / parts.before, ratio: settings.pitch.formantRatio(parts),
      level: isKept ? parts.pitch : 1, isFirst: isFirst)
  }

  /// Begins a ramp of all parts to the requested settings, at the next frame of the first scaler.
  /// Returns the length of the ramp in input frames.
  ///
  /// If `isEarly` is set and only the stretcher's factor changes, the ramp begins at the first
  /// frame that can still move in the output, so that it isn't delayed by the stretcher's latency.
  private mutating func beginRamp(isEarly: Bool) -> UInt64 {
    let (old, new, held) = (parts, divided, latency)
    let start = rampStart(to: new, isEarly: isEarly)
    lastRamp = (start.input, start.output)
    // unlike `received`, `inputPosition` doesn't depend on how you split the input into buffers
    if received > 0 { minLatency = (held, inputPosition + Double(held)) }
    var frames = rampFrames
    let before = new.before == old.before ? nil : Fraction(nearest: new.before)
    if let before, frames > 0 { frames = scaler.rampFrames(to: before, within: frames) }
    var excess = plan(from: start.input, start.output, within: frames)
    var given: Double?
    // After a ramp back to factor 1 and the original pitch, the output is the input again. We put the
    // stretcher's output position halfway between two frames, so that rounding errors can't change
    // the number of frames.
    let returns = new.isNone
    let lands = returns && (old.before != 1 || scaler.position.fraction != 0)
    if returns { excess += planned.shift.fraction - 0.5 }
    if lands, let stretch {
      let due = new.given(from: old, within: frames, excess: excess)
      let fed = stretch.pointee.stretcher.received &+ Int64(stretch.pointee.scratch.rest.count)
      let end = inputPosition + Double(frames) - Double(fed)
      given = end + Double(scaler.land(within: frames, shift: due - end, made: fed))
    } else if lands, frames > 0 {
      _ = scaler.land(within: frames, shift: Double(planned.shift.whole), made: made)
    } else if let before {
      scaler.ramp(to: before, within: frames)
    }
    if before != nil || given != nil { steadyFrom = scaler.steadyFrom }
    let ramps = new.ramps(from: old, within: frames, excess: excess, given: given)
    if let stretch {
      let stretchedPosition = stretch.pointee.outputPosition
      if new.stretch != old.stretch {
        stretch.pointee.ramp(at: start.frame, to: new.stretch, within: ramps.stretch)
      }
      if new.after != old.after {
        let after = Fraction(nearest: new.after)
        let lead = rounded(inputPosition + Double(frames) - (given ?? Double(frames)))
        let shift = returns ? shiftAtEnd(lead) : nil
        tail?.pointee.ramp(at: stretchedPosition, to: after, within: ramps.after, shift: shift)
      }
    }
    parts = new
    moveFormants(isFirst: false)
    return frames
  }

  /// Plans a ramp to the requested factor over `frames` input frames, starting at input position
  /// `position` and the actual output position `out`. Due to rounding, `out` is off from the
  /// planned position by a few frames. This returns that difference, which the new plan makes up
  /// for, or 0 if the last ramp hasn't ended yet.
  mutating func plan(from position: Double, _ out: Double, within frames: UInt64) -> Double {
    let excess = position >= planned.input.value ? out - planned.output(at: position) : 0
    if let factor = Fraction(factor: settings.factor), factor != planned.factor {
      planned =
        CurveSection.change(
          at: Wide(position), Wide(out - excess), from: planned.speed, to: factor,
          within: Double(frames)
        ).rest
    }
    return excess
  }

  /// Where a ramp to `new` starts, as a frame in the stretcher's input and its positions in the
  /// chain's input and output.
  private func rampStart(
    to new: PitchParts, isEarly: Bool
  ) -> (frame: Int64, input: Double, output: Double) {
    guard let stretch else { return (0, inputPosition, outputPosition) }
    let received = stretch.pointee.stretcher.received
    let now = (received, inputPosition, outputPosition)
    let lands = new.isNone && scaler.position.fraction != 0
    guard isEarly, new.before == parts.before, new.after == parts.after, !lands else { return now }
    // we can only start early if that's after the last ramp, and if the first scaler's factor is
    // constant after it
    let given = received &+ Int64(stretch.pointee.scratch.rest.count)
    let steady = framesCovering(
      (inputPosition - max(planned.input.value, steadyFrom)) * parts.before)
    let frame = max(stretch.pointee.stretcher.firstOpen, given &- steady &+ 1)
    let stretchedPosition = stretch.pointee.outputPosition(of: frame)
    guard frame < received, tail?.pointee.isSteady(from: stretchedPosition) != false else {
      return now
    }
    return (
      frame, inputPosition - Double(given &- frame) / parts.before, output(of: stretchedPosition)
    )
  }

  /// How many frames longer the tail's output must be than its input once all three parts have
  /// factor 1. `lead` is where the first scaler ends the ramp, minus the number of frames it
  /// outputs during the ramp.
  private func shiftAtEnd(_ lead: Int64) -> Int64? {
    guard let stretch else { return nil }
    let last = stretch.pointee.stretcher.map.last
    return planned.shift.whole &+ lead &- stretch.pointee.base
      &- stretch.pointee.stretcher.received &- (last.output.high &- last.input.high)
  }

  /// Where the first scaler reads its next output frame, and where a ramp would begin.
  private var inputPosition: Double {
    let (frame, fraction) = scaler.position
    return Double(frame) + fraction
  }

  /// The output position of `inputPosition`, in frames.
  var outputPosition: Double {
    guard let stretch else { return Double(made) }
    return output(of: stretch.pointee.outputPosition)
  }

  /// Where the next ramp would begin, in frames. A new stretcher needs enough input first.
  var rampPosition: (input: Double, output: Double) {
    guard let stretch, stretch.pointee.warm > 0 else { return (inputPosition, outputPosition) }
    let warm = Double(stretch.pointee.warm)
    let waiting = warm - Double(stretch.pointee.scratch.rest.count)
    return (
      inputPosition + waiting / parts.before, output(of: stretch.pointee.outputPosition + warm)
    )
  }

  /// Converts from the stretcher's output frames to the chain's.
  private func output(of frame: Double) -> Double {
    Double(stretch?.pointee.base ?? 0) + (tail?.pointee.outputPosition(of: frame) ?? frame)
  }

  /// The latency in input frames.
  ///
  /// Given the factors in `parts`, one input frame of the stretcher corresponds to 1 / `before`
  /// input frames of the chain, and one output frame to 1 / (`before` × `stretch`).
  package var latency: Int {
    guard let stretch else { return scaler.widestWindow.after }
    let tailLatency = tail.map { Double($0.pointee.latency) } ?? 0
    let stretched = Double(stretch.pointee.stretcher.latency)
    let frames = (stretched + tailLatency / parts.stretch) / parts.before
    let now = scaler.widestWindow.after &+ Int(truncatingIfNeeded: framesCovering(frames))
    return inputPosition < minLatency.until ? max(now, minLatency.frames) : now
  }
}

extension Chain {
  var hasEnded: Bool { scaler.hasEnded || limit != nil || silence.count > 0 }

  /// Writes the frames that are left after the end of the input. Returns true if there are more.
  ///
  /// If there's a stretcher, we append silence to the input until we've output exactly the expected
  /// number of frames. We don't end each part separately, because each would round its length. You
  /// never hear the silence, because the stretcher extrapolates its last input.
  mutating func drain(into sink: inout FrameSink) -> Bool {
    guard let stretch else {
      scaler.finish(into: &sink)
      return sink.room == 0
    }
    // how many frames the first scaler will output for the remaining input
    let left = max((Double(received) - inputPosition) * parts.before, 0)
    stretch.pointee.endSound(after: framesCovering(left))
    repeat {
      if silence.count == 0, !isReady { addSilence() }
      var limited = sink
      if let limit {
        let left = limit &- made &- Int64(sink.made)
        if left <= 0 { return false }
        limited.capacity = sink.made &+ Int(truncatingIfNeeded: min(left, Int64(sink.room)))
      }
      var rest = silence
      run(&rest, into: &limited)
      silence = rest
      sink.made = limited.made
    } while sink.room > 0 || !isReady
    return true
  }

  /// We only add a few frames at a time until the first scaler has reached the end of the input, so
  /// that we work out `limit` close to that end.
  private mutating func addSilence() {
    let isAtEnd = received == 0 || inputPosition >= Double(received)
    if limit == nil, isAtEnd { limit = framesAtEnd }
    let few = max(timedsp_whole_part(64 / parts.before), 1)
    let count = isAtEnd ? Scratch.capacity : min(Int(truncatingIfNeeded: few), Scratch.capacity)
    silence = FrameCursor(silentPlanes.address(0), count)
  }

  /// Only valid once the first scaler has reached the end of the input.
  private var framesAtEnd: Int64 {
    planned.length(of: received)
      ?? wholeFrames(outputPosition - (inputPosition - Double(received)) * parts.factor)
  }
}

extension CurveSection {
  /// The length of the output in frames, or `nil` if `received` input frames end before the
  /// section.
  func length(of received: Int64) -> Int64? {
    if input == Wide(high: 0, low: 0), output == input { return outputFrame(of: received).whole }
    let received = Double(received)
    return received >= input.value ? wholeFrames(output(at: received)) : nil
  }

  /// The output position minus the input position, at factor 1. `whole` may be negative, and
  /// `fraction` is in 0 ..< 1.
  var shift: (whole: Int64, fraction: Double) {
    let due = output(at: 0) + 0x1p40
    let whole = timedsp_whole_part(due)
    return (whole &- 0x100_0000_0000, due - Double(whole))
  }
}

/// The max rounding error when summing factors, in frames.
private let roundedFrames = 1e-6

/// Rounded down, or up if the next integer is within `roundedFrames`. At least 0.
func wholeFrames(_ frames: Double) -> Int64 { timedsp_whole_part(max(frames + roundedFrames, 0)) }

func framesCovering(_ frames: Double) -> Int64 {
  let whole = timedsp_whole_part(frames)
  return Double(whole) < frames ? whole &+ 1 : whole
}
