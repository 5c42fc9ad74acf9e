// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Stretcher {
  /// The first step to a synthesis frame: we find position and window of its analysis frame, and
  /// measure the phase advance. We also measure the level that an earlier frame has lost
  /// (`LostLevel`), and do that here because the second step, `makeFrame`, takes longer.
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

  /// With `restating`, we first compute the spectra of the last frame again.
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

  /// Where we read `frame`. If the analysis frame contains an onset that lies after the synthesis
  /// frame, you'd hear it too early. So we read half a window before the onset.
  private func heldBack(_ frame: StretchFrame) -> Int64 {
    guard !frame.isVoice, !frame.isDense,
      let onset = RigidTransient.onset(in: frame, onsets, sizes)
    else { return frame.position }
    let half = Int64(truncatingIfNeeded: frame.window &>> 1)
    let there = map.nearest(to: onset) &- frame.centre
    return there > half ? min(frame.position, onset &- half) : frame.position
  }

  /// The second step: we rotate the phases of the analysis frame, and add the result, a synthesis
  /// frame, to the output.
  mutating func makeFrame() {
    let position = map.input(at: centre)
    if !next.isEmpty, !next.isUnmodified, heldBack(next) != next.position {
      // we didn't know this onset yet when the frame began
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

  /// From the last synthesis frame, or 0 for the first one.
  func hop(to frame: StretchFrame) -> Int64 {
    last.exists ? frame.centre &- last.centre : 0
  }

  /// We measure the phase advance from the last analysis frame to this one. But in a voice, and
  /// behind a frame that was held back, we measure it over one hop of input, because we may have
  /// read those frames elsewhere than the time map says.
  private func wayIsMeasured(to frame: StretchFrame) -> Bool {
    let distance = frame.position &- last.position
    return last.exists && !last.isVoice && !frame.isVoice && distance > 0
      && distance <= Int64(truncatingIfNeeded: frame.window &>> 2)
  }

  /// In the input, the last two frames are nearer to each other than in the output. That's normal
  /// above factor 1.
  private func isNearer(_ frame: StretchFrame) -> Bool {
    wayIsMeasured(to: frame) && frame.position &- last.position < frame.centre &- last.centre
  }

  /// Moves `centre` by one hop: a quarter of the window, or an eighth in a voice, whose pitch
  /// changes quickly. Neither input nor output advances by more. Except in a voice and at factor 1,
  /// the output advances by a sixteenth less.
  ///
  /// That's for noise. Its overlapping frames are only weakly correlated, so the level fluctuates
  /// with Σ w⁴ / (Σ w²)². For squared Hann windows, the fluctuation is 2.9 % at a hop of a quarter
  /// window, and 0.9 % at 15/16 of this hop. At factor 1, the frames are the unmodified input and
  /// add up exactly.
  private mutating func advance(from position: Int64) {
    let window = Int64(truncatingIfNeeded: last.window)
    let hop = last.isVoice ? window &>> 3 : window &>> 2
    let isCloser = !last.isVoice && !map.section(at: position).isUnity
    let most = isCloser ? hop &- hop &>> 4 : hop
    let distance = rounded(map.distance(from: centre, to: position &+ hop) - 0.5)
    centre &+= min(max(distance, 1), most)
    // the last frame needs the output position of the end of the input
    map.forget(before: min(position &- Int64(truncatingIfNeeded: sizes.past), received))
    formants?.pointee.forget(before: position &- Int64(truncatingIfNeeded: sizes.past))
  }

  /// At factor 1 and without moved formants, a frame can be the unmodified input. Either the last
  /// frame was that, too, at the same offset, or all rotations have been undone since
  /// (`rotateBack`).
  private func isUnmodified(at position: Int64) -> Bool {
    guard map.section(at: position).isUnity, formants?.pointee.moves(at: position) != true else {
      return false
    }
    guard last.exists else { return true }
    if last.isUnmodified { return position &- centre == last.position &- last.centre }
    return rotationLeft(at: position) <= 0
  }

  /// At factor 1, we undo the rotations gradually, until the output is the unmodified input. This
  /// is the share that's left: 1 when the factor becomes 1, and 0 or less half a window later.
  private func rotationLeft(at position: Int64) -> Float {
    let section = map.section(at: position)
    guard section.isUnity else { return 1 }
    let distance = position &- section.input.high
    return 1 - Float(distance) / Float(sizes.longest &>> 1)
  }

  /// Crossfades with neighbouring synthesis frames. Where none overlaps, we copy output frames from
  /// the history instead.
  private mutating func addUnmodified(_ frame: StretchFrame) {
    let analysis = analysis(frame.window)
    let (window, fft) = (analysis.window, analysis.fft)
    output.addNorm(window, frame.centre)
    for channel in upTo(shape.channels) {
      history.load(.channel(channel), frame.position, window, fft)
      output.add(fft.packed, fft, window, channel, frame.centre)
    }
  }

  /// In a voice, we may read the analysis frame elsewhere than the time map says.
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

  /// In time and in frequency (`PhaseSteps.swift`). `position` is where the map puts the frame,
  /// even if we read it elsewhere.
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
    // the better the frame continues a voice, the less we change phase differences in frequency
    let free = 1 - follower.fit
    analysis.findSteps(
      stretch: 1 + Float(factor - 1) * free,
      distance: map.section(at: position).isUnity ? 0 : distance * Double(free), hop: hop(to: frame)
    )
  }

  /// Scales `transience`, how much each bin uses a mean of several phases, and `widening`, how much
  /// wider its window becomes. If the last frame is nearer in the input than in the output,
  /// decaying bands get the phase advance over one output hop.
  private func adjustSteps(to frame: StretchFrame, of position: Int64, _ phases: PhaseIntegration) {
    if isNearer(frame), !frame.isDense { bands.replace(phases.inTime, by: phases.inTimeNear) }
    let factor = map.factor(at: position)
    // above factor 1, bands use the mean of several phases only if they decay, or in a voice
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

  /// For all bins that no transient has fixed (`RigidTransient`). `nil` if all gains are 1.
  ///
  /// We measure the lost level only in frames whose level nothing else changes: without fixed bins,
  /// outside of voices and dense transients, and not at factor 1.
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

  /// With the same window, we can compare the last frame with this one.
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

  private func rotateBack(_ frame: StretchFrame, _ phases: PhaseIntegration) {
    let left = max(rotationLeft(at: frame.position), 0)
    phases.rotateBack(
      from: max(rotationLeft(at: last.position), left, 0x1p-10), to: left,
      quarter: Float(frame.window) / Float(2 &* sizes.longest))
  }

  private func add(
    _ frame: StretchFrame, _ analysis: StretchAnalysis, _ gains: UnsafeMutablePointer<Float>?
  ) {
    let (window, fft) = (analysis.window, analysis.fft)
    output.addNorm(window, frame.centre)
    // a wider window would smear a transient to before its onset
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
