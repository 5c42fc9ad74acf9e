// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// A phase vocoder, which changes the duration of a stream but not its pitch. `StretchStage` owns
/// one and feeds it.
///
/// We use the following terms throughout this folder. An input frame or output frame is one sample
/// of every channel. The time map (`TimeCurve`) gives the output position of every input frame. An
/// analysis frame is a windowed section of the input. We rotate its phases, and overlap-add the
/// result, a synthesis frame, to the output. A hop is the distance between the centres of two
/// successive synthesis frames.
///
/// A synthesis frame is centred on an output frame, and its analysis frame on the input frame that
/// the map assigns to it. We measure a bin's phase advance from the last analysis frame to this
/// one, or over the last hop of input before this one. The stretcher is handed all its memory, so
/// it doesn't allocate, lock or make system calls. The chain checks the arguments (`Chain.swift`).
///
/// We never copy this type. It's only copyable because the compiler takes 10 s longer to check a
/// noncopyable type with so many parts.
struct Stretcher {
  let sizes: StretchSizes
  var map: TimeCurve
  var history: StretchHistory
  var onsets: OnsetDetector
  var output: OverlapAdd
  private let longAnalysis: StretchAnalysis
  private let voiceAnalysis: StretchAnalysis
  private let denseAnalysis: StretchAnalysis
  var voice: VoiceDetector
  private var denseTransients: DenseTransients
  let search: VoiceSearch
  var ends: VoiceEnds
  private var rigid = RigidTransient()
  let bands: SteadyBands
  var lost: LostLevel
  /// Computes the formant gains. `nil` until formants first move.
  var formants: UnsafeMutablePointer<FormantMover>?
  /// The formant gains for the current synthesis frame, or `nil` if its formants don't move.
  private var formantGains: Row<Float>?

  /// The output frame on which the next synthesis frame is centred. The first frame covers output
  /// frame 0.
  var centre: Int64
  /// Only set between `beginFrame` and `makeFrame`. At other times, `next.exists` is false.
  var next = StretchFrame()
  /// Where we read `next` so that its waveform continues the voice in the output. `nil` if we read
  /// it where the time map says.
  private var follower: VoiceFollower?
  var last = StretchFrame()
  var made: Int64 = 0
  /// No synthesis frame reaches past this output frame, so we copy the output from the input after
  /// it.
  private var unmodifiedFrom: Int64 = .min
  /// The sound ends before this input frame. We extrapolate after that.
  private var end: Int64 = .max
  private var continuation: Continuation

  /// `rate` sets the length of the windows. It's in Hz, and clamped to 8 … 192 kHz. At 48 kHz in F32,
  /// music needs 1.1 MiB for one channel, and 0.15 MiB for each additional channel.
  init(
    _ shape: AudioShape, _ window: TimeStretchWindow, rate: UInt32, _ factor: Fraction,
    _ memory: inout Arena
  ) throws(TimeDSPStatus) {
    sizes = StretchSizes(window, rate: rate)
    let half = Int64(sizes.longest &>> 1)
    centre = 0 &- half
    map = try TimeCurve(factor, &memory)
    history = try StretchHistory(shape, sizes, &memory)
    let guides = history.guides
    onsets = try OnsetDetector(sizes.onsets, &memory)
    continuation = try Continuation(sizes, guides: guides, &memory)
    output = try OverlapAdd(channels: shape.channels, sizes, from: centre &- half, &memory)
    longAnalysis = try StretchAnalysis(sizes, guides: guides, &memory)
    voiceAnalysis =
      sizes.voice == sizes.longest ? longAnalysis : try longAnalysis.shorter(sizes.voice, &memory)
    denseAnalysis =
      sizes.hasDense ? try longAnalysis.shorter(sizes.dense, &memory) : longAnalysis
    voice = try VoiceDetector(sizes, &memory)
    denseTransients = try DenseTransients(sizes, longAnalysis.window, &memory)
    search = try VoiceSearch(sizes, &memory)
    ends = try VoiceEnds(sizes, &memory)
    let room = longAnalysis.fft.room
    bands = try SteadyBands(room, &memory)
    lost = try LostLevel(bands, guides: guides, room: room, &memory)
    last.window = sizes.longest
    // `missing` looks half a hop ahead of the next frame. The first frame has no predecessor, so we
    // make one up, one hop earlier
    last.centre = centre &- half &>> 1
  }

  var shape: AudioShape { history.shape }

  func analysis(_ count: Int) -> StretchAnalysis {
    if count == sizes.longest { return longAnalysis }
    return count == sizes.voice ? voiceAnalysis : denseAnalysis
  }

  /// Input frames since the stream began.
  var received: Int64 { history.end }

  /// The first input frame that can still move in the output, because we haven't centred an
  /// analysis frame on it or after it yet.
  var firstOpen: Int64 { min(max(map.input(at: centre) &+ 1, 0), received) }

  /// Output before this frame is final, because no further synthesis frame overlaps it.
  var finished: Int64 { centre &- Int64(sizes.longest &>> 1) }

  var ready: Int { Int(truncatingIfNeeded: max(finished &- made, 0)) }

  /// How many input frames we need beyond the input position of an output frame. It's more below
  /// factor 1. At factor 1 and 48 kHz, it's 5186 for music and auto, 3138 for speech, and 1026 for
  /// low latency.
  var latency: Int64 {
    let half = Double(sizes.longest &>> 1)
    let speed = max(1 / map.factor(at: received), map.last.speed)
    return sizes.ahead(at: speed) &+ rounded(half * speed) &+ 1
  }

  /// How many more output frames to expect if the input ends after `frames` more frames. It may be
  /// one too high.
  func framesDue(_ frames: Int64) -> Int64 {
    max(map.output(at: received &+ frames).whole &+ 1 &- made, 0)
  }

  /// How many more input frames the next step needs. If it's 0 or less, we can go ahead. We make a
  /// synthesis frame in two steps, `beginFrame` and `makeFrame`, half a hop apart, to spread the
  /// work over several calls.
  private var missing: Int64 {
    let position = map.input(at: centre)
    let missing = position &+ sizes.ahead(at: 1 / map.factor(at: position)) &- history.end
    if next.exists { return missing }
    let spare = Int64(sizes.ahead &- sizes.longest &>> 1 &- 1)
    // dense transients have short hops, and a long frame may follow
    let hop = position &- map.input(at: last.centre)
    return missing &- min(last.isDense ? hop : hop &>> 1, spare)
  }

  /// Writes all finished output to `sink`. Consumes all of `input` unless `sink` is full.
  mutating func process(_ input: inout FrameCursor, into sink: inout FrameSink) {
    while true {
      emit(to: &sink)
      if made < finished { return }
      let missing = missing
      if missing <= 0 {
        if next.exists { makeFrame() } else { beginFrame() }
        continue
      }
      guard input.count > 0 else { return }
      // We never give the history more input than the next step needs. That way, a frame is
      // computed from the same input however you split the stream into buffers.
      let wanted = min(missing, Int64(sizes.longest), Int64(input.count))
      if history.end >= end {
        extrapolate(wanted)
        input.consume(Int(truncatingIfNeeded: wanted))
      } else {
        let more = Int(truncatingIfNeeded: min(wanted, end &- history.end))
        history.append(input, more)
        input.consume(more)
        examine()
      }
    }
  }

  private mutating func examine() {
    onsets.run(history)
    ends.run(history)
    voice.prepare(history)
    denseTransients.prepare(history)
  }

  /// Marks the end of the sound after `frames` more input frames. We replace any later input by an
  /// extrapolation, so that the last frames don't fade out. Only the first call has an effect. You
  /// still have to pass frames to `process`, but it doesn't read them.
  mutating func endSound(after frames: Int64) {
    if end == .max { end = received &+ frames }
  }

  private mutating func extrapolate(_ frames: Int64) {
    if history.end == end { continuation.find(in: history) }
    history.extend(
      Int(truncatingIfNeeded: frames), repeating: continuation.period, gain: continuation.gain)
    examine()
  }
}

/// An analysis frame and its synthesis frame: where they're centred, and how we get from one to the
/// other.
struct StretchFrame {
  /// The output frame on which the synthesis frame is centred.
  var centre: Int64 = 0
  /// The input frame on which the analysis frame is centred.
  var position: Int64 = 0
  var window = 0
  /// Part of a voice (`VoiceDetector`).
  var isVoice = false
  /// Among dense transients (`DenseTransients`).
  var isDense = false
  /// The phases aren't rotated.
  fileprivate var isUnmodified = false
  /// The window ends before the stream begins, so it only contains silence.
  var isEmpty = false
  /// `false` if it's a placeholder for a frame that we haven't begun.
  var exists = false
}

extension Stretcher {
  /// The first step towards a synthesis frame: we find the position and window of its analysis
  /// frame, and measure the phase advance. We also measure how much level an earlier frame has lost
  /// (`LostLevel`). We do that here because the second step, `makeFrame`, takes longer.
  private mutating func beginFrame() {
    lost.measure(output, longAnalysis)
    let position = map.input(at: centre)
    next = StretchFrame(
      centre: centre, position: position, window: sizes.longest,
      isUnmodified: isUnmodified(at: position),
      exists: true)
    follower = nil
    if next.isUnmodified { return }
    next.isVoice = voice.isVoice(at: position, history)
    next.isDense = denseTransients.areDense(at: position, history) && !next.isVoice
    if next.isVoice { next.window = sizes.voice }
    if next.isDense { next.window = sizes.dense }
    next.position = heldBack(next)
    next.isEmpty = next.position &+ Int64(next.window &>> 1) <= 0
    if next.isEmpty { return }
    measureNext(restating: last.isUnmodified || last.window != next.window)
  }

  /// If `restating` is set, we recompute the spectra of the last frame first.
  private mutating func measureNext(restating: Bool) {
    let (position, analysis) = (next.position, analysis(next.window))
    if restating { restate(for: next, analysis) }
    analysis.measureAdvance(position, hop: hop(to: next), history)
    if next.isVoice, !map.section(at: position).isUnity, let wanted = readingPosition(of: next) {
      follower = search.follow(
        analysis.advance, with: analysis.other, analysis.fft, toward: wanted)
    } else {
      if isNearer(next) { analysis.findAdvance(into: analysis.phases.inTimeNear) }
      analysis.measureSlope(position, history, comparing: wayIsMeasured(to: next))
      findSteps(to: next, of: map.input(at: centre), VoiceFollower(), analysis)
    }
  }

  /// Where to read `frame`. If the analysis frame contains an onset that comes after the end of the
  /// synthesis frame, you'd hear the onset too early. In that case we read half a window before it.
  private func heldBack(_ frame: StretchFrame) -> Int64 {
    guard !frame.isVoice, !frame.isDense,
      let onset = RigidTransient.onset(in: frame, onsets, sizes)
    else { return frame.position }
    let half = Int64(frame.window &>> 1)
    let there = map.nearest(to: onset) &- frame.centre
    return there > half ? min(frame.position, onset &- half) : frame.position
  }

  /// The second step: we rotate the phases of the analysis frame to get a synthesis frame, and add
  /// it to the output.
  private mutating func makeFrame() {
    let position = map.input(at: centre)
    if !next.isEmpty, !next.isUnmodified, heldBack(next) != next.position {
      // we hadn't found this onset yet when we began the frame
      next.position = heldBack(next)
      measureNext(restating: true)
    }
    var frame = next
    next = StretchFrame()
    let half = Int64(sizes.longest &>> 1)
    output.open(from: min(made, centre &- 4 &* half), to: centre &+ half)
    if frame.isEmpty {
      output.addNorm(analysis(frame.window).window, frame.centre)
    } else if frame.isUnmodified {
      addUnmodified(frame)
    } else {
      addSynthesisFrame(&frame)
    }
    last = frame
    advance(from: position)
  }

  /// The distance from the last synthesis frame, or 0 for the first one.
  func hop(to frame: StretchFrame) -> Int64 {
    last.exists ? frame.centre &- last.centre : 0
  }

  /// We measure the phase advance from the last analysis frame to this one. But in a voice, and
  /// after a frame that was held back, we measure it over one hop of input, because we didn't
  /// necessarily read those frames where the time map says.
  private func wayIsMeasured(to frame: StretchFrame) -> Bool {
    let distance = frame.position &- last.position
    return last.exists && !last.isVoice && !frame.isVoice && distance > 0
      && distance <= Int64(frame.window &>> 2)
  }

  /// The last two frames are closer together in the input than in the output, as is normal above
  /// factor 1.
  private func isNearer(_ frame: StretchFrame) -> Bool {
    wayIsMeasured(to: frame) && frame.position &- last.position < frame.centre &- last.centre
  }

  /// Moves `centre` by one hop: a quarter of the window, or an eighth in a voice, because its pitch
  /// changes quickly. Neither the input nor the output advances by more than that. The output
  /// advances by a sixteenth less, except in a voice or at factor 1.
  ///
  /// We do that because of noise. Its overlapping frames are only weakly correlated, so the level
  /// fluctuates with Σ w⁴ / (Σ w²)². For squared Hann windows, the fluctuation is 2.9 % at a hop of
  /// a quarter window, and 0.9 % at 15/16 of this hop. At factor 1, the frames are the unmodified
  /// input, so they add up exactly.
  private mutating func advance(from position: Int64) {
    let window = Int64(last.window)
    let hop = last.isVoice ? window &>> 3 : window &>> 2
    let isCloser = !last.isVoice && !map.section(at: position).isUnity
    let most = isCloser ? hop &- hop &>> 4 : hop
    let distance = rounded(map.distance(from: centre, to: position &+ hop) - 0.5)
    centre &+= min(max(distance, 1), most)
    map.forget(before: position &- Int64(sizes.past))
    formants?.pointee.forget(before: position &- Int64(sizes.past))
  }

  /// At factor 1, if formants don't move, a frame can be the unmodified input. Either the last
  /// frame was too, at the same offset, or all rotations have been undone since (`rotateBack`).
  fileprivate func isUnmodified(at position: Int64) -> Bool {
    guard map.section(at: position).isUnity, formants?.pointee.moves(at: position) != true else {
      return false
    }
    guard last.exists else { return true }
    if last.isUnmodified { return position &- centre == last.position &- last.centre }
    return rotationLeft(at: position) <= 0
  }

  /// At factor 1, we gradually undo the rotations until the output is the unmodified input. This is
  /// the fraction that's left: 1 when the factor becomes 1, and 0 or less half a window later.
  private func rotationLeft(at position: Int64) -> Float {
    let section = map.section(at: position)
    guard section.isUnity else { return 1 }
    let distance = position &- section.input.high
    return 1 - Float(distance) / Float(sizes.longest &>> 1)
  }

  /// Adds a frame of unmodified input, so that it crossfades with neighbouring synthesis frames.
  /// Where none overlap, we copy the output from the history instead.
  private mutating func addUnmodified(_ frame: StretchFrame) {
    let analysis = analysis(frame.window)
    let (window, fft) = (analysis.window, analysis.fft)
    output.addNorm(window, frame.centre)
    for channel in upTo(shape.channels) {
      history.load(.channel(channel), frame.position, window, fft)
      output.add(fft.packed, fft, window, channel, frame.centre)
    }
  }

  /// In a voice, we don't necessarily read the analysis frame where the time map says.
  private mutating func addSynthesisFrame(_ frame: inout StretchFrame) {
    let position = frame.position
    let isUnity = map.section(at: position).isUnity
    let follower = follow(&frame)
    let analysis = analysis(frame.window)
    if !frame.isVoice, !frame.isDense {
      let onset = RigidTransient.onset(in: frame, onsets, sizes)
      bands.compare(analysis.phases.power, hasOnset: onset != nil)
    }
    if self.follower != nil { findSteps(to: frame, of: position, follower, analysis) }
    adjustSteps(to: frame, of: position, analysis.phases)
    if frame.isDense || follower.fit > 0 && !follower.isRigid {
      rigid.release(analysis.phases)
    } else {
      rigid.find(frame, hop: hop(to: frame), map, onsets, history, analysis, sizes)
    }
    if isUnity {
      analysis.phases.runLocked()
      rotateBack(frame, analysis.phases)
    } else {
      analysis.phases.run()
    }
    analysis.rotateAll()
    if rigid.hasFixed { analysis.placeAll() }
    formantGains = formants?.pointee.findGains(
      at: frame.position, bins: frame.window &+ 1, before: history.end)
    let isLevelled = !isUnity && !frame.isVoice && !frame.isDense
    let gains = gains(of: frame, analysis, isUnity: isUnity, isLevelled: isLevelled)
    // a wider window would make a transient smear out before its onset
    add(frame, analysis, gains, isWidened: isLevelled && !rigid.hasFixed)
    unmodifiedFrom = frame.centre &+ Int64(frame.window &>> 1)
  }

  /// Finds the phase steps in time and in frequency. `position` is where the map puts the frame,
  /// even if that's not where we read it.
  private func findSteps(
    to frame: StretchFrame, of position: Int64, _ follower: VoiceFollower,
    _ analysis: StretchAnalysis
  ) {
    if wayIsMeasured(to: frame) {
      analysis.findAdvance(hop: hop(to: frame), over: frame.position &- last.position)
    } else {
      analysis.findAdvance(into: analysis.phases.inTime)
    }
    let (factor, distance) = (
      map.factor(at: position), map.distance(from: frame.centre, to: position)
    )
    // the better the frame continues a voice, the less we alter phase differences between bins
    let free = 1 - follower.fit
    analysis.findSteps(
      stretch: 1 + Float(factor - 1) * free,
      distance: map.section(at: position).isUnity ? 0 : distance * Double(free), hop: hop(to: frame)
    )
  }

  /// Scales `transience`, which says how much each bin relies on a mean of several phases, and
  /// `widening`, which says how much wider its window gets. If the last frame is closer in the
  /// input than in the output, decaying bands get the phase advance over one output hop.
  private func adjustSteps(to frame: StretchFrame, of position: Int64, _ phases: PhaseIntegration) {
    if isNearer(frame), !frame.isDense { bands.replace(phases.inTime, by: phases.inTimeNear) }
    let factor = map.factor(at: position)
    // above factor 1, only decaying bands use the mean of several phases, unless it's a voice
    let change = Float(min(max(factor, 1 / factor) - 1, 1))
    let steady = factor < 1 || frame.isVoice ? change : 0
    let wider = 3 * Float(min(max(factor - 1, 0), 1))
    if frame.isDense {
      for bin in upTo(phases.bins, by: 8) { phases.transience[eight: bin] *= change }
    } else {
      bands.scale(phases.transience, into: phases.widening, dying: 0, steady: wider)
      bands.scale(phases.transience, into: phases.transience, dying: change, steady: steady)
    }
  }

  /// The gains of all bins that aren't fixed by a transient (`RigidTransient`). `nil` if they're
  /// all 1.
  ///
  /// We only measure the lost level in frames where nothing else affects the level. That rules out
  /// frames with fixed bins, voices, dense transients and factor 1.
  private mutating func gains(
    of frame: StretchFrame, _ analysis: StretchAnalysis, isUnity: Bool, isLevelled: Bool
  ) -> Row<Float>? {
    if isLevelled { lost.findGains() }
    if isLevelled, !rigid.hasFixed {
      lost.note(
        frame.centre, analysis.spectra[lost.guide], formants: formantGains,
        finished: frame.centre &- Int64(frame.window &>> 1))
    } else {
      lost.skip(frame.centre)
    }
    if frame.isDense, !isUnity {
      let gain = DenseTransients.gain(at: map.factor(at: frame.position), analysis.window)
      analysis.phases.gains.fill(gain, to: analysis.fft.room)
      return analysis.phases.gains
    }
    return isUnity ? analysis.phases.gains : isLevelled ? lost.gains : nil
  }

  /// Recomputes the last frame with this frame's window, so that we can compare the two.
  mutating func restate(for frame: StretchFrame, _ analysis: StretchAnalysis) {
    if last.window != frame.window {
      longAnalysis.phases.isFixed.fill(0)
      let (before, now) = (last.window, frame.window)
      if now < before {
        analysis.phases.thinRotations(by: before &>> now.trailingZeroBitCount)
      } else {
        analysis.phases.spreadRotations(by: now &>> before.trailingZeroBitCount)
      }
      // a late onset may make us restate the frame again
      last.window = now
    }
    analysis.restate(last.position, history, rotating: !last.isUnmodified)
  }

  private func rotateBack(_ frame: StretchFrame, _ phases: PhaseIntegration) {
    let left = max(rotationLeft(at: frame.position), 0)
    phases.rotateBack(
      from: max(rotationLeft(at: last.position), left, 0x1p-10), to: left,
      quarter: Float(frame.window) / Float(2 &* sizes.longest))
  }

  private func add(
    _ frame: StretchFrame, _ analysis: StretchAnalysis, _ gains: Row<Float>?, isWidened: Bool
  ) {
    let (window, fft) = (analysis.window, analysis.fft)
    output.addNorm(window, frame.centre)
    for channel in upTo(shape.channels) {
      let spectrum: Spectrum
      if shape.channels <= StretchHistory.maxGuides {
        spectrum = analysis.spectra[channel]
      } else {
        spectrum = analysis.advance
        analysis.measure(.channel(channel), frame.position, history, into: spectrum)
        analysis.rotate(spectrum)
        if rigid.hasFixed {
          analysis.measure(.channel(channel), rigid.position, history, into: analysis.other)
          analysis.place(analysis.other, in: spectrum)
        }
      }
      fft.inverse(
        analysis.scaled(
          spectrum, fixed: rigid.gain, gains: gains, formants: formantGains,
          isWidened: isWidened))
      output.add(fft.output, fft, window, channel, frame.centre)
    }
  }
}

extension Stretcher {
  /// Where we'd like to read an analysis frame of a voice. `nil` means where the time map says.
  /// `VoiceSearch` finds the actual position, which also depends on the voice's period.
  ///
  /// An event is an onset or the end of a voice. You should hear it when the map says, and at its
  /// original speed. So if it's inside the window in the output, we read the analysis frame at the
  /// same distance from it in the input, but no further than `sizes.aside` from where the time map
  /// says.
  ///
  /// Any other analysis frame that contains the event would repeat it. We move such a frame half a
  /// window away from the event, or as far as `sizes.aside` allows.
  func readingPosition(of frame: StretchFrame) -> VoiceFollower? {
    let reach = Int64(frame.window &>> 1)
    let onset = onsets.nearest(to: frame.position, early: reach, late: reach)
    let end = ends.nearest(to: frame.position, reach: reach)
    guard let event = nearer(onset, end, to: frame.position) else { return nil }
    let (here, there) = (event &- frame.position, map.distance(from: frame.centre, to: event))
    let most = Double(sizes.aside)
    let change = abs(1 - 1 / map.factor(at: frame.position))
    let isRigid = abs(there) <= Double(reach) && abs(there) * change <= most
    let wanted = isRigid ? rounded(there) : here < 0 ? 0 &- reach : reach
    let aside = min(max(Double(here &- wanted), 0 - most), most)
    return isRigid || aside != 0 ? VoiceFollower(shift: rounded(aside), isRigid: isRigid) : nil
  }

  /// Moves `frame` to where the input continues the voice, and measures the phases there. The shift
  /// and the fit are 0 if the frame doesn't follow a voice.
  func follow(_ frame: inout StretchFrame) -> VoiceFollower {
    guard let follower else { return VoiceFollower() }
    let analysis = analysis(frame.window)
    frame.position &+= follower.shift
    if follower.shift != 0 {
      analysis.measureAdvance(frame.position, hop: hop(to: frame), history)
    }
    analysis.measureSlope(frame.position, history)
    return follower
  }
}

extension Stretcher {
  mutating func emit(to sink: inout FrameSink) {
    let end = min(finished, made &+ Int64(sink.room))
    if made < 0 { made = min(0, end) }
    if made < unmodifiedFrom { emit(upTo: min(end, unmodifiedFrom), isUnmodified: false, &sink) }
    emit(upTo: end, isUnmodified: true, &sink)
  }

  /// The frames before `end` must either all be unmodified input or all be overlap-added.
  private mutating func emit(upTo end: Int64, isUnmodified: Bool, _ sink: inout FrameSink) {
    let (history, output, made) = (history, output, made)
    let count = Int(truncatingIfNeeded: end &- made)
    guard count > 0 else { return }
    let held = isUnmodified ? history.index(of: made &+ last.position &- last.centre, count) : nil
    for channel in upTo(shape.channels) {
      if let held {
        shape.write(channel, to: sink.planes, made: sink.made, count) { frame, _ in
          history.number(channel, held &+ frame)
        }
      } else {
        shape.write(channel, to: sink.planes, made: sink.made, count) { frame, _ in
          Double(output.value(channel, made &+ Int64(frame)))
        }
      }
    }
    sink.made &+= count
    self.made = end
  }
}
