// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Stretches a stream with a phase vocoder.
///
/// A frame is centred on an output frame, and on the input frame that the time map assigns to it.
/// The phase advance of every bin is measured since the last frame, or over one output hop before
/// this frame. All memory is passed to the stretcher; it does not allocate, lock or make system
/// calls. The chain checks the arguments (`Chain+Checked.swift`).
///
/// The type is copyable only because the compiler needs 10 s more to check a noncopyable type with
/// so many parts; it is never copied.
struct Stretcher {
  let sizes: StretchSizes
  var map: StretchMap
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
  /// The formant mover; `nil` until formants are first moved.
  var formants: UnsafeMutablePointer<FormantMover>?
  /// The formant gains of the current frame, if there are any.
  var formantGains: UnsafeMutablePointer<Float>?

  /// The output frame on which the next frame is centred.
  var centre: Int64 = 0
  /// The frame that has begun, but is not complete.
  var next = StretchFrame()
  /// How the frame in `next` follows a voice; `nil` if it does not.
  var follower: VoiceFollower?
  /// The frame before `next`.
  var last = StretchFrame()
  /// Number of frames that have been output.
  var made: Int64 = 0
  /// The output frame from which the input is passed through.
  var unmodifiedFrom: Int64 = 0
  /// The input frame from which the input is extrapolated.
  private var end: Int64 = .max
  private var continuation: Continuation
  /// Number of input frames, once the input has ended.
  private(set) var length: Int64?

  /// Allocates all parts in `memory`. The stretcher may be used only if `computing` is set.
  init(_ shape: AudioShape, _ sizes: StretchSizes, _ memory: inout ScratchMemory, computing: Bool) {
    self.sizes = sizes
    map = StretchMap(&memory)
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

  /// Number of input frames received since the stream began.
  var received: Int64 { length ?? history.end }

  /// The first input frame whose output position may still change. No analysis frame has been
  /// centred on this input frame or on a later one.
  var firstOpen: Int64 { min(max(map.input(at: centre) &+ 1, 0), received) }

  /// Starts at frame 0 with a constant factor.
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
    // the first frame is centred half a window before output frame 0: no earlier frame covers
    // output frame 0
    centre = 0 &- Int64(truncatingIfNeeded: sizes.longest &>> 1)
    output.start(at: centre &- Int64(truncatingIfNeeded: sizes.longest &>> 1))
    next = StretchFrame()
    last = StretchFrame()
    last.window = sizes.longest
    // one hop before the first frame, because a frame begins half a hop before it is completed
    last.centre = centre &- Int64(truncatingIfNeeded: sizes.longest &>> 2)
    made = 0
    unmodifiedFrom = .min
    end = .max
    length = nil
  }

  mutating func reset() { start(map.factor) }

  /// Number of finished output frames. No later frame of the stretcher overlaps them. The number
  /// does not exceed the number that the whole input requires.
  var finished: Int64 {
    let final = centre &- Int64(truncatingIfNeeded: sizes.longest &>> 1)
    guard let length else { return final }
    return min(final, map.outputPosition(of: length).whole)
  }

  /// Whether all further output is the unmodified input, unless the factor changes.
  var isIdentity: Bool {
    last.isUnmodified && map.isUnity(at: received) && map.start(of: received) <= last.position
      && made >= unmodifiedFrom && formants?.pointee.isDone(from: last.position) != false
  }

  /// Number of frames that can be output now.
  var ready: Int { Int(truncatingIfNeeded: max(finished &- made, 0)) }

  /// Number of input frames that are needed after the position of an output frame. It is larger
  /// below factor 1. At factor 1 and 48 kHz, it is 5186 for music and auto, 3138 for speech, and
  /// 1026 for low latency.
  var latency: Int64 {
    let half = Double(sizes.longest &>> 1)
    let speed = max(1 / map.factor(at: received), map.factor.speed)
    return Int64(truncatingIfNeeded: sizes.ahead) &+ rounded(half * speed) &+ 1
  }

  /// Number of output frames that will result from `frames` more input frames and the end of input.
  /// It may be one too high.
  func framesDue(_ frames: Int64) -> Int64 {
    let all = map.outputPosition(of: received &+ (length == nil ? frames : 0)).whole &+ 1
    return max(all &- made, 0)
  }

  /// Number of input frames that are missing for the next step. A frame is made in two steps, half
  /// a hop apart, so that its work is spread over several calls.
  private var missing: Int64 {
    let position = map.input(at: centre)
    let missing = position &+ Int64(truncatingIfNeeded: sizes.ahead) &- history.end
    if next.exists { return missing }
    let spare = Int64(truncatingIfNeeded: sizes.ahead &- sizes.longest &>> 1 &- 1)
    return missing &- min((position &- map.input(at: last.centre)) &>> 1, spare)
  }

  private mutating func makeStep() {
    if next.exists { makeFrame() } else { beginFrame() }
  }

  /// Consumes frames of the planes `input` and writes all their output to `sink`. Returns the
  /// number of consumed frames. This is less than `frames` only if `sink` is full.
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
      // no more input than the next frame needs, so that the input of this frame does not depend on
      // how the stream is divided into buffers
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

  /// Examines the frames that have been added to the history.
  private mutating func examine() {
    onsets.run(history)
    ends.run(history)
    voice.prepare(history)
    denseTransients.prepare(history)
  }

  /// Marks the end of the sound after `frames` more frames. Later input is replaced by an
  /// extrapolation of the sound. Only the first call has an effect.
  mutating func endSound(after frames: Int64) {
    if end == .max { end = received &+ frames }
  }

  /// Extrapolates the input after its end.
  private mutating func extrapolate(_ frames: Int) {
    if history.end == end { continuation.find(in: history) }
    history.extend(frames, repeating: continuation.period, gain: continuation.gain)
    examine()
  }

  /// Ends the input on its first call, and writes the remaining output to `sink`.
  mutating func finish(into sink: inout FrameSink) {
    if length == nil {
      length = history.end
      endSound(after: 0)
    }
    guard let length else { return }
    let all = map.outputPosition(of: length).whole
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

/// The position of a frame, and how it is made.
struct StretchFrame {
  /// The output frame on which the frame is centred.
  var centre: Int64 = 0
  /// The input frame on which the frame is centred.
  var position: Int64 = 0
  var window = 0
  /// Whether the frame is treated as a voice.
  var isVoice = false
  /// Whether the frame is within dense transients.
  var isDense = false
  /// Whether the frame is the unmodified input.
  var isUnmodified = false
  /// Whether the frame contains no input, because it is entirely before the stream.
  var isEmpty = false
  /// False if there is no frame.
  var exists = false
}
