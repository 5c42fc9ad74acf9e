// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Stretcher {
  /// The first step of making a synthesis frame: determines position and window of its analysis
  /// frame, and measures the phase advance. Also measures the level that an earlier frame has lost
  /// (`LostLevel`). The lost level is measured in this step because the second step, `makeFrame`,
  /// takes longer.
  mutating func beginFrame() {
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
    next.isEmpty = next.position &+ Int64(truncatingIfNeeded: next.window &>> 1) <= 0
    if next.isEmpty { return }
    measureNext(restating: last.isUnmodified || last.window != next.window)
  }

  /// Measures the phases of `next`. With `restating`, the spectra of the last frame are computed again
  /// first.
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

  /// The position at which `frame` is read. If the analysis frame contains an onset that lies after the
  /// synthesis frame, you'd hear it too early, so we read the frame half a window before the onset.
  private func heldBack(_ frame: StretchFrame) -> Int64 {
    guard !frame.isVoice, !frame.isDense,
      let onset = RigidTransient.onset(in: frame, onsets, sizes)
    else { return frame.position }
    let half = Int64(truncatingIfNeeded: frame.window &>> 1)
    let there = map.nearest(to: onset) &- frame.centre
    return there > half ? min(frame.position, onset &- half) : frame.position
  }

  /// The second step of making a synthesis frame: rotates the phases of the analysis frame, and
  /// adds the resulting synthesis frame to the output.
  mutating func makeFrame() {
    let position = map.input(at: centre)
    if !next.isEmpty, !next.isUnmodified, heldBack(next) != next.position {
      // an onset that was not known yet when the frame began
      next.position = heldBack(next)
      measureNext(restating: true)
    }
    var frame = next
    next = StretchFrame()
    let half = Int64(truncatingIfNeeded: sizes.longest &>> 1)
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

  /// The hop from the last synthesis frame to this one; 0 for the first synthesis frame.
  func hop(to frame: StretchFrame) -> Int64 {
    last.exists ? frame.centre &- last.centre : 0
  }

  /// Whether the phase advance is measured from the last analysis frame to this one. In a voice, it
  /// is measured over one hop of input instead, because analysis frames may be read at positions
  /// other than those that the time map gives. So it is behind a frame that was held back.
  private func wayIsMeasured(to frame: StretchFrame) -> Bool {
    let distance = frame.position &- last.position
    return last.exists && !last.isVoice && !frame.isVoice && distance > 0
      && distance <= Int64(truncatingIfNeeded: frame.window &>> 2)
  }

  /// Whether the last two analysis frames are nearer to each other than the last two synthesis
  /// frames, as is normal if the factor is above 1.
  private func isNearer(_ frame: StretchFrame) -> Bool {
    wayIsMeasured(to: frame) && frame.position &- last.position < frame.centre &- last.centre
  }

  /// Moves `centre` by one hop. The hop is a quarter of the window, and an eighth in a voice,
  /// because the pitch of a voice changes quickly. Neither the input nor the output advances by
  /// more than this hop. Except in a voice and at factor 1, the output advances by a sixteenth
  /// less.
  ///
  /// The smaller hop is for noise. Overlapping frames of noise are only weakly correlated, so the
  /// level fluctuates with Σ w⁴ / (Σ w²)². For squared Hann windows, the fluctuation is 2.9 % at a
  /// hop of a quarter window, and 0.9 % at 15/16 of this hop. At factor 1, the frames are the
  /// unmodified input and add up exactly.
  private mutating func advance(from position: Int64) {
    let window = Int64(truncatingIfNeeded: last.window)
    let hop = last.isVoice ? window &>> 3 : window &>> 2
    let isCloser = !last.isVoice && !map.section(at: position).isUnity
    let most = isCloser ? hop &- hop &>> 4 : hop
    let distance = rounded(map.distance(from: centre, to: position &+ hop) - 0.5)
    centre &+= min(max(distance, 1), most)
    // the output position of the end of the input is needed until the last frame is emitted
    map.forget(before: min(position &- Int64(truncatingIfNeeded: sizes.past), received))
    formants?.pointee.forget(before: position &- Int64(truncatingIfNeeded: sizes.past))
  }

  /// Whether the frame at `position` can be the unmodified input. The factor must be 1, and
  /// formants must not be moved. In addition, the last frame must have been unmodified with the
  /// same offset from the input, or all rotations must have been undone since (`rotateBack`).
  private func isUnmodified(at position: Int64) -> Bool {
    guard map.section(at: position).isUnity, formants?.pointee.moves(at: position) != true else {
      return false
    }
    guard last.exists else { return true }
    if last.isUnmodified { return position &- centre == last.position &- last.centre }
    return rotationLeft(at: position) <= 0
  }

  /// The share of the rotations that is left at `position`. At factor 1, the rotations are undone
  /// gradually, until the output is the unmodified input: the share is 1 when the factor becomes 1,
  /// and 0 or less half a window later.
  private func rotationLeft(at position: Int64) -> Float {
    let section = map.section(at: position)
    guard section.isUnity else { return 1 }
    let distance = position &- section.input.high
    return 1 - Float(distance) / Float(sizes.longest &>> 1)
  }

  /// Adds the unmodified input to the output, to crossfade with neighbouring synthesis frames.
  /// Output frames that no synthesis frame overlaps are copied from the history instead.
  private mutating func addUnmodified(_ frame: StretchFrame) {
    let analysis = analysis(frame.window)
    let (window, fft) = (analysis.window, analysis.fft)
    output.addNorm(window, frame.centre)
    for channel in upTo(shape.channels) {
      history.load(.channel(channel), frame.position, window, fft)
      output.add(fft.packed, fft, window, channel, frame.centre)
    }
  }

  /// Adds a synthesis frame, which is the analysis frame with rotated phases. In a voice, the
  /// analysis frame may be read at a position that differs from the position that the time map
  /// gives.
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
    add(frame, analysis, gains(of: frame, analysis, isUnity: isUnity))
    unmodifiedFrom = frame.centre &+ Int64(truncatingIfNeeded: frame.window &>> 1)
  }

  /// Computes the phase differences of the frame in time and in frequency (`PhaseSteps.swift`).
  /// `position` is the input position that the map assigns to the frame, even if the frame is read
  /// elsewhere.
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
    // the better the frame continues a voice, the less the phase differences in frequency change
    let free = 1 - follower.fit
    analysis.findSteps(
      stretch: 1 + Float(factor - 1) * free,
      distance: map.section(at: position).isUnity ? 0 : distance * Double(free), hop: hop(to: frame)
    )
  }

  /// Scales `transience` (how much each bin uses a mean of several phases) and `widening` (how much
  /// wider its window becomes). If the last frame is nearer in the input than in the output,
  /// decaying bands get the phase advance over one output hop.
  private func adjustSteps(to frame: StretchFrame, of position: Int64, _ phases: PhaseIntegration) {
    if isNearer(frame), !frame.isDense { bands.replace(phases.inTime, by: phases.inTimeNear) }
    let factor = map.factor(at: position)
    // if the factor is above 1, bands use the mean of several phases only if they decay, or if the
    // frame belongs to a voice
    let change = Float(min(max(factor, 1 / factor) - 1, 1))
    let steady = factor < 1 || frame.isVoice ? change : 0
    let wider = 3 * Float(min(max(factor - 1, 0), 1))
    if frame.isDense {
      phases.transience.scale(by: change, phases.bins)
    } else {
      bands.scale(phases.transience, into: phases.widening, dying: 0, steady: wider)
      bands.scale(phases.transience, into: phases.transience, dying: change, steady: steady)
    }
  }

  /// The gains of all bins that are not fixed by a transient (`RigidTransient`); `nil` if all gains
  /// are 1.
  ///
  /// The lost level is measured only in frames whose level nothing else changes: frames without
  /// fixed bins, outside of voices and dense transients, and not at factor 1.
  private mutating func gains(
    of frame: StretchFrame, _ analysis: StretchAnalysis, isUnity: Bool
  ) -> UnsafeMutablePointer<Float>? {
    let isLevelled = !isUnity && !frame.isVoice && !frame.isDense
    if isLevelled { lost.findGains() }
    if isLevelled, !rigid.hasFixed {
      lost.note(
        frame.centre, analysis.spectrum(lost.guide), formants: formantGains,
        finished: frame.centre &- Int64(truncatingIfNeeded: frame.window &>> 1))
    } else {
      lost.skip(frame.centre)
    }
    if frame.isDense, !isUnity {
      let gain = DenseTransients.gain(at: map.factor(at: frame.position), analysis.window)
      analysis.phases.gains.fill(gain, analysis.fft.room)
      return analysis.phases.gains
    }
    return isUnity ? analysis.phases.gains : isLevelled ? lost.gains : nil
  }

  /// Recomputes the spectra of the last frame with the window of this frame, so that the two frames
  /// can be compared.
  private func restate(for frame: StretchFrame, _ analysis: StretchAnalysis) {
    if last.window != frame.window {
      self.analysis(sizes.longest).phases.release()
      let (before, now) = (last.window, frame.window)
      if now < before {
        analysis.phases.thinRotations(by: before &>> now.trailingZeroBitCount)
      } else {
        analysis.phases.spreadRotations(by: now &>> before.trailingZeroBitCount)
      }
    }
    analysis.restate(last.position, history, rotating: !last.isUnmodified)
  }

  /// Undoes a part of the rotations, at factor 1.
  private func rotateBack(_ frame: StretchFrame, _ phases: PhaseIntegration) {
    let left = max(rotationLeft(at: frame.position), 0)
    phases.rotateBack(
      from: max(rotationLeft(at: last.position), left, 0x1p-10), to: left,
      quarter: Float(frame.window) / Float(2 &* sizes.longest))
  }

  /// Transforms the rotated spectra back, and adds the synthesis frame to the output.
  private func add(
    _ frame: StretchFrame, _ analysis: StretchAnalysis, _ gains: UnsafeMutablePointer<Float>?
  ) {
    let (window, fft) = (analysis.window, analysis.fft)
    output.addNorm(window, frame.centre)
    // a wider window would smear a transient to the time before its onset
    let isWidened = gains == lost.gains && !rigid.hasFixed
    for channel in upTo(shape.channels) {
      let spectrum: Spectrum
      if shape.channels <= StretchHistory.maxGuides {
        spectrum = analysis.spectrum(channel)
      } else {
        spectrum = analysis.advance
        history.load(.channel(channel), frame.position, window, fft)
        fft.forward(spectrum)
        analysis.rotate(spectrum)
        if rigid.hasFixed {
          history.load(.channel(channel), rigid.position, window, fft)
          fft.forward(analysis.other)
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
