// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Changes the duration of a stream without changing its pitch: a phase vocoder. `StretchStage`
/// owns one and feeds it.
///
/// Terms used in this folder: an input frame or output frame is one sample of every channel. The
/// time map (`TimeCurve`) gives the output position of every input frame. An analysis frame is a
/// windowed section of the input. Its phases are rotated, and the result, a synthesis frame, is
/// overlap-added to the output. The distance between the centres of two synthesis frames is the
/// hop.
///
/// A synthesis frame is centred on an output frame, and its analysis frame on the input frame that
/// the map assigns to this output frame. The phase advance of a bin is measured from the last
/// analysis frame to this one, or over the last hop of input before this one. All memory is passed
/// to the stretcher, so the stretcher does not allocate, lock or make system calls. The chain
/// checks the arguments (`Chain+Checked.swift`).
///
/// The type is copyable only because a noncopyable type with this many parts takes the compiler 10
/// s longer to check. It is never copied.
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
  /// Computes the formant gains; `nil` until formants are first moved.
  var formants: UnsafeMutablePointer<FormantMover>?
  /// The formant gains of the current synthesis frame, or `nil` if its formants are not moved.
  var formantGains: UnsafeMutablePointer<Float>?

  /// The output frame on which the next synthesis frame is centred.
  var centre: Int64 = 0
  /// The frame between `beginFrame` and `makeFrame`. At other times, `next.exists` is false.
  var next = StretchFrame()
  /// The input position at which the frame `next` is read so that its waveform continues the voice
  /// in the output; `nil` if the frame is read at the position that the time map gives.
  var follower: VoiceFollower?
  /// The last complete frame.
  var last = StretchFrame()
  /// Number of output frames that have been emitted.
  var made: Int64 = 0
  /// The first output frame that no synthesis frame overlaps. Output frames from here on are copied
  /// from the input.
  var unmodifiedFrom: Int64 = 0
  /// The first input frame that is extrapolated because the sound has ended before it.
  private var end: Int64 = .max
  private var continuation: Continuation
  /// Number of input frames of the stream; `nil` until the input ends.
  private(set) var length: Int64?

  /// Allocates all parts in `memory`. If `computing` is false, this only counts the bytes, and the
  /// stretcher must not be used.
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

  /// The analysis with a window of `count` frames.
  func analysis(_ count: Int) -> StretchAnalysis {
    if count == sizes.longest { return longAnalysis }
    return count == sizes.voice ? voiceAnalysis : denseAnalysis
  }

  /// Number of input frames since the stream began, without extrapolated frames.
  var received: Int64 { length ?? history.end }

  /// The first input frame whose output position may still change: no analysis frame has been
  /// centred on this input frame or a later one.
  var firstOpen: Int64 { min(max(map.input(at: centre) &+ 1, 0), received) }

  /// Starts a stream at frame 0 with a constant factor.
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
    // the first frame is centred half a window before output frame 0, so that it covers this frame
    centre = 0 &- Int64(truncatingIfNeeded: sizes.longest &>> 1)
    output.start(at: centre &- Int64(truncatingIfNeeded: sizes.longest &>> 1))
    next = StretchFrame()
    last = StretchFrame()
    last.window = sizes.longest
    // `missing` needs a last frame to find the time half a hop before the next frame; for the first
    // frame, this imaginary last frame lies one hop earlier
    last.centre = centre &- Int64(truncatingIfNeeded: sizes.longest &>> 2)
    made = 0
    unmodifiedFrom = .min
    end = .max
    length = nil
  }

  mutating func reset() { start(map.last.factor) }

  /// Number of output frames that no later synthesis frame overlaps. It is limited to the output
  /// length of the whole input.
  var finished: Int64 {
    let final = centre &- Int64(truncatingIfNeeded: sizes.longest &>> 1)
    guard let length else { return final }
    return min(final, map.output(at: length).whole)
  }

  /// Whether all further output is the unmodified input if the factor does not change.
  var isIdentity: Bool {
    let section = map.section(at: received)
    return last.isUnmodified && section.isUnity && section.input.high <= last.position
      && made >= unmodifiedFrom && formants?.pointee.isDone(from: last.position) != false
  }

  /// Number of output frames that can be emitted now.
  var ready: Int { Int(truncatingIfNeeded: max(finished &- made, 0)) }

  /// Latency: the number of input frames that are needed after the input position of an output
  /// frame. The latency grows as the factor falls below 1. At factor 1 and 48 kHz, it is 5186 for
  /// music and auto, 3138 for speech, and 1026 for low latency.
  var latency: Int64 {
    let half = Double(sizes.longest &>> 1)
    let speed = max(1 / map.factor(at: received), map.last.speed)
    return sizes.ahead(at: speed) &+ rounded(half * speed) &+ 1
  }

  /// Number of output frames still to come if the input ends after `frames` more input frames. The
  /// result may be one too high.
  func framesDue(_ frames: Int64) -> Int64 {
    let all = map.output(at: received &+ (length == nil ? frames : 0)).whole &+ 1
    return max(all &- made, 0)
  }

  /// Number of input frames that must arrive before the next step; 0 or less if this step can be
  /// made now. A synthesis frame is made in two steps, `beginFrame` and `makeFrame`, half a hop
  /// apart, so that the work is spread over several calls.
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

  /// Consumes frames of the planes `input` and writes all finished output to `sink`. Returns the
  /// number of consumed frames, which is less than `frames` only if `sink` is full.
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
      // The history gets no more input than the next step needs. A frame is then computed from the
      // same input however the stream is divided into buffers.
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

  /// Runs the detectors on the frames that have been added to the history.
  private mutating func examine() {
    onsets.run(history)
    ends.run(history)
    voice.prepare(history)
    denseTransients.prepare(history)
  }

  /// Declares that the sound ends after `frames` more input frames. Later input is replaced with an
  /// extrapolation of the sound, which keeps the last frames from fading. Only the first call has
  /// an effect.
  mutating func endSound(after frames: Int64) {
    if end == .max { end = received &+ frames }
  }

  /// Appends `frames` extrapolated frames to the history.
  private mutating func extrapolate(_ frames: Int) {
    if history.end == end { continuation.find(in: history) }
    history.extend(frames, repeating: continuation.period, gain: continuation.gain)
    examine()
  }

  /// Writes the remaining output to `sink`. The first call ends the input.
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

/// The centres of an analysis frame and of its synthesis frame, and how the synthesis frame is
/// made.
struct StretchFrame {
  /// The output frame on which the synthesis frame is centred.
  var centre: Int64 = 0
  /// The input frame on which the analysis frame is centred.
  var position: Int64 = 0
  var window = 0
  /// Whether the frame is in a voice (`VoiceDetector`).
  var isVoice = false
  /// Whether the frame is among dense transients (`DenseTransients`).
  var isDense = false
  /// Whether the input is added unmodified, without rotated phases.
  var isUnmodified = false
  /// Whether the window ends before the stream begins, so that it contains only silence.
  var isEmpty = false
  /// `false` in a placeholder for a frame that has not begun.
  var exists = false
}
