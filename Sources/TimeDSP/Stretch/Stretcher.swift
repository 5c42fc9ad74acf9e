// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Changes the duration of a stream, and not its pitch: a phase vocoder. `StretchStage` owns one
/// and feeds it.
///
/// You'll meet these terms in this folder. An input frame or output frame is one sample of every
/// channel. The time map (`TimeCurve`) gives the output position of every input frame. An analysis
/// frame is a windowed section of the input. We rotate its phases, and overlap-add the result, a
/// synthesis frame, to the output. From the centre of one synthesis frame to the next, it's one
/// hop.
///
/// A synthesis frame is centred on an output frame, and its analysis frame on the input frame that
/// the map assigns to it. We measure a bin's phase advance from the last analysis frame to this
/// one, or over the last hop of input before this one. The stretcher gets all its memory, so it
/// doesn't allocate, lock or make system calls. The chain checks the arguments
/// (`Chain+Checked.swift`).
///
/// We never copy this type. It's copyable only because the compiler takes 10 s longer to check a
/// noncopyable type with so many parts.
struct Stretcher {
  let sizes: StretchSizes
  var map: TimeCurve
  var history: StretchHistory
  var onsets: OnsetDetector
  var output: OverlapAdd
  let longAnalysis: StretchAnalysis
  private let voiceAnalysis: StretchAnalysis
  private let denseAnalysis: StretchAnalysis
  var voice: VoiceDetector
  var denseTransients: DenseTransients
  let search: VoiceSearch
  var ends: VoiceEnds
  var rigid = RigidTransient()
  let bands: SteadyBands
  var lost: LostLevel
  /// Computes the formant gains. `nil` until formants first move.
  var formants: UnsafeMutablePointer<FormantMover>?
  /// For the current synthesis frame, or `nil` if its formants don't move.
  var formantGains: UnsafeMutablePointer<Float>?

  /// The output frame on which the next synthesis frame is centred.
  var centre: Int64 = 0
  /// Lives from `beginFrame` to `makeFrame`. At other times, `next.exists` is false.
  var next = StretchFrame()
  /// Where we read `next` so that its waveform continues the voice in the output. `nil` if we read
  /// it where the time map says.
  var follower: VoiceFollower?
  var last = StretchFrame()
  var made: Int64 = 0
  /// From here on, no synthesis frame overlaps, and we copy output frames from the input.
  var unmodifiedFrom: Int64 = 0
  /// The sound ends before this input frame. From here on, we extrapolate.
  private var end: Int64 = .max
  private var continuation: Continuation
  /// Input frames of the stream. `nil` until the input ends.
  private(set) var length: Int64?

  /// Allocates all parts in `memory`. Without `computing`, this only counts the bytes, and you
  /// mustn't use the stretcher.
  init(_ shape: AudioShape, _ sizes: StretchSizes, _ memory: inout ScratchMemory, computing: Bool) {
    self.sizes = sizes
    map = TimeCurve(&memory)
    history = StretchHistory(shape, sizes, &memory)
    onsets = OnsetDetector(sizes.onsets, &memory, computing: computing)
    continuation = Continuation(sizes, guides: history.guides, &memory)
    output = OverlapAdd(channels: shape.channels, sizes, &memory)
    longAnalysis = StretchAnalysis(
      sizes, guides: history.guides, &memory, computing: computing)
    voiceAnalysis =
      sizes.voice == sizes.longest
      ? longAnalysis
      : StretchAnalysis(sizes.voice, sharing: longAnalysis, &memory, computing: computing)
    denseAnalysis =
      sizes.hasDense
      ? StretchAnalysis(sizes.dense, sharing: longAnalysis, &memory, computing: computing)
      : longAnalysis
    voice = VoiceDetector(sizes, &memory, computing: computing)
    denseTransients = DenseTransients(sizes, longAnalysis.window, &memory, computing: computing)
    search = VoiceSearch(sizes, &memory, computing: computing)
    ends = VoiceEnds(sizes, &memory)
    let room = longAnalysis.fft.room
    bands = SteadyBands(room, &memory, computing: computing)
    lost = LostLevel(bands, guides: history.guides, room: room, &memory)
  }

  var shape: AudioShape { history.shape }

  func analysis(_ count: Int) -> StretchAnalysis {
    if count == sizes.longest { return longAnalysis }
    return count == sizes.voice ? voiceAnalysis : denseAnalysis
  }

  /// Input frames since the stream began, without extrapolated ones.
  var received: Int64 { length ?? history.end }

  /// The first input frame whose output position may still change, because no analysis frame has
  /// been centred on it or after it.
  var firstOpen: Int64 { min(max(map.input(at: centre) &+ 1, 0), received) }

  mutating func start(_ factor: Fraction) {
    map.start(factor)
    history.start()
    onsets.start()
    longAnalysis.start()
    voice.start()
    denseTransients.start()
    ends.start()
    rigid = RigidTransient()
    bands.start()
    lost.start()
    // half a window before output frame 0, so that the first frame covers it
    centre = 0 &- Int64(truncatingIfNeeded: sizes.longest &>> 1)
    output.start(at: centre &- Int64(truncatingIfNeeded: sizes.longest &>> 1))
    next = StretchFrame()
    last = StretchFrame()
    last.window = sizes.longest
    // `missing` looks half a hop before the next frame. For the first one, this imaginary last
    // frame is one hop earlier
    last.centre = centre &- Int64(truncatingIfNeeded: sizes.longest &>> 2)
    made = 0
    unmodifiedFrom = .min
    end = .max
    length = nil
  }

  mutating func reset() { start(map.last.factor) }

  /// No later synthesis frame overlaps the output before this frame. Limited to the output of the
  /// whole input.
  var finished: Int64 {
    let final = centre &- Int64(truncatingIfNeeded: sizes.longest &>> 1)
    guard let length else { return final }
    return min(final, map.output(at: length).whole)
  }

  /// If the factor stays, all further output is the unmodified input.
  var isIdentity: Bool {
    let section = map.section(at: received)
    return last.isUnmodified && section.isUnity && section.input.high <= last.position
      && made >= unmodifiedFrom && formants?.pointee.isDone(from: last.position) != false
  }

  var ready: Int { Int(truncatingIfNeeded: max(finished &- made, 0)) }

  /// We need this many input frames after the input position of an output frame. Below factor 1,
  /// it's more. At factor 1 and 48 kHz, it's 5186 for music and auto, 3138 for speech, and 1026 for
  /// low latency.
  var latency: Int64 {
    let half = Double(sizes.longest &>> 1)
    let speed = max(1 / map.factor(at: received), map.last.speed)
    return sizes.ahead(at: speed) &+ rounded(half * speed) &+ 1
  }

  /// Output frames still to come if the input ends after `frames` more frames. It may be one too
  /// high.
  func framesDue(_ frames: Int64) -> Int64 {
    let all = map.output(at: received &+ (length == nil ? frames : 0)).whole &+ 1
    return max(all &- made, 0)
  }

  /// For the next step, this many input frames must arrive first. At 0 or less, we can do it now.
  /// We make a synthesis frame in two steps, `beginFrame` and `makeFrame`, half a hop apart, to
  /// spread the work over several calls.
  private var missing: Int64 {
    let position = map.input(at: centre)
    let missing = position &+ sizes.ahead(at: 1 / map.factor(at: position)) &- history.end
    if next.exists { return missing }
    let spare = Int64(truncatingIfNeeded: sizes.ahead &- sizes.longest &>> 1 &- 1)
    return missing &- min((position &- map.input(at: last.centre)) &>> 1, spare)
  }

  private mutating func makeStep() {
    if next.exists { makeFrame() } else { beginFrame() }
  }

  /// Writes all finished output to `sink`. Returns the number of consumed frames. It's less than
  /// `frames` only if `sink` is full.
  mutating func process(
    _ input: UnsafePointer<UnsafeRawPointer?>?, frames: Int, into sink: inout FrameSink
  ) -> Int {
    var consumed = 0
    while true {
      emit(to: &sink)
      if made < finished { return consumed }
      let missing = missing
      if missing <= 0 {
        makeStep()
        continue
      }
      guard let input, consumed < frames else { return consumed }
      // The history gets no more input than the next step needs. So however you divide the stream
      // into buffers, we compute a frame from the same input.
      let wanted = Int(truncatingIfNeeded: min(missing, Int64(truncatingIfNeeded: sizes.longest)))
      var more = min(wanted, frames &- consumed)
      if history.end >= end {
        extrapolate(more)
      } else {
        more = Int(truncatingIfNeeded: min(Int64(truncatingIfNeeded: more), end &- history.end))
        history.append(input, from: consumed, frames: more)
        examine()
      }
      consumed &+= more
    }
  }

  private mutating func examine() {
    onsets.run(history)
    ends.run(history)
    voice.prepare(history)
    denseTransients.prepare(history)
  }

  /// The sound ends after `frames` more input frames. An extrapolation replaces later input, so
  /// that the last frames don't fade. Only the first call has an effect.
  mutating func endSound(after frames: Int64) {
    if end == .max { end = received &+ frames }
  }

  private mutating func extrapolate(_ frames: Int) {
    if history.end == end { continuation.find(in: history) }
    history.extend(frames, repeating: continuation.period, gain: continuation.gain)
    examine()
  }

  /// Writes what's left. The first call ends the input.
  mutating func finish(into sink: inout FrameSink) {
    if length == nil {
      length = history.end
      endSound(after: 0)
    }
    guard let length else { return }
    let all = map.output(at: length).whole
    while true {
      emit(to: &sink)
      if made >= all || made < finished { return }
      let missing = missing
      if missing <= 0 {
        makeStep()
      } else {
        extrapolate(Int(truncatingIfNeeded: min(missing, Int64(truncatingIfNeeded: sizes.longest))))
      }
    }
  }
}

/// The centres of an analysis frame and its synthesis frame, and how one becomes the other.
struct StretchFrame {
  /// The output frame on which the synthesis frame is centred.
  var centre: Int64 = 0
  /// The input frame on which the analysis frame is centred.
  var position: Int64 = 0
  var window = 0
  /// In a voice (`VoiceDetector`).
  var isVoice = false
  /// Among dense transients (`DenseTransients`).
  var isDense = false
  /// Without rotated phases.
  var isUnmodified = false
  /// The window ends before the stream begins, so it holds only silence.
  var isEmpty = false
  /// `false` in a placeholder for a frame that hasn't begun.
  var exists = false
}
