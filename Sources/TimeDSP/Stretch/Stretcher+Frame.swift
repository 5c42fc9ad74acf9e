// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Stretcher {
  /// Begins the next frame. Determines its position, and makes all measurements that do not depend
  /// on transients. Also measures the level of an earlier frame. `makeFrame` does not measure the
  /// level, because it takes longer anyway.
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
    next.isEmpty = position &+ Int64(truncatingIfNeeded: next.window &>> 1) <= 0
    if next.isEmpty { return }
    let analysis = analysis(next.window)
    if last.isUnmodified || last.window != next.window { restate(for: next, analysis) }
    analysis.measureAdvance(position, hop: hop(to: next), history)
    if next.isVoice, !map.isUnity(at: position), let wanted = readingPosition(of: next) {
      follower = search.follow(
        analysis.advance, with: analysis.other, analysis.fft, toward: wanted)
    } else {
      if isNearer(next) { analysis.findAdvance(into: analysis.phases.inTimeNear) }
      analysis.measureSlope(position, history, comparing: wayIsMeasured(to: next))
      findSteps(to: next, of: position, VoiceFollower(), analysis)
    }
  }

  /// Completes the frame that has begun: rotates its phases and adds it to the output.
  mutating func makeFrame() {
    var frame = next
    next = StretchFrame()
    let (position, half) = (frame.position, Int64(truncatingIfNeeded: sizes.longest &>> 1))
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

  /// Number of output frames from the last frame to this one.
  func hop(to frame: StretchFrame) -> Int64 {
    last.exists ? frame.centre &- last.centre : 0
  }

  /// Whether the phase advance is measured over the whole input from the last frame to this one.
  /// This does not apply to voices, because a frame of a voice may be read at a position other than
  /// its own.
  private func wayIsMeasured(to frame: StretchFrame) -> Bool {
    last.exists && !last.isVoice && !frame.isVoice && frame.position > last.position
  }

  /// Whether the distance to the last frame is smaller in the input than in the output.
  private func isNearer(_ frame: StretchFrame) -> Bool {
    wayIsMeasured(to: frame) && frame.position &- last.position < frame.centre &- last.centre
  }

  /// Moves `centre` by one hop. The hop is a quarter of a window. In a voice, it is an eighth,
  /// because the pitch of a voice changes. The hop is counted in the input or in the output,
  /// whichever results in the smaller hop. In the output, it is reduced by a sixteenth, except in a
  /// voice and at factor 1.
  ///
  /// The reduction is for noise. Overlapping frames of noise have little in common, so the level
  /// fluctuates with Σ w⁴ / (Σ w²)². For squared Hann windows, this is 2.9 % at a distance of a
  /// quarter, and 0.9 % if the frames are a sixteenth closer. At factor 1, frames are the input
  /// itself, and add up exactly.
  private mutating func advance(from position: Int64) {
    let window = Int64(truncatingIfNeeded: last.window)
    let hop = last.isVoice ? window &>> 3 : window &>> 2
    let isCloser = !last.isVoice && !map.isUnity(at: position)
    let most = isCloser ? hop &- hop &>> 4 : hop
    let way = rounded(map.way(from: centre, to: position &+ hop) - 0.5)
    centre &+= min(max(way, 1), most)
    // the position of the end of the input is needed until the last frame has been output
    map.forget(before: min(position &- Int64(truncatingIfNeeded: sizes.past), received))
    formants?.pointee.forget(before: position &- Int64(truncatingIfNeeded: sizes.past))
  }

  /// Whether the input can be passed through. The factor must be 1. In addition, the last frame
  /// must have been passed through with the same offset, or all rotations must have been undone.
  private func isUnmodified(at position: Int64) -> Bool {
    guard map.isUnity(at: position), formants?.pointee.moves(at: position) != true else {
      return false
    }
    guard last.exists else { return true }
    if last.isUnmodified { return position &- centre == last.position &- last.centre }
    return rotationLeft(at: position) <= 0
  }

  /// The share of the rotations that is left at factor 1. It decreases with every frame, and is 0
  /// half a window after the factor has become 1.
  private func rotationLeft(at position: Int64) -> Float {
    guard map.isUnity(at: position) else { return 1 }
    let way = position &- map.start(of: position)
    return 1 - Float(way) / Float(sizes.longest &>> 1)
  }

  /// Adds the unmodified input. Output that no synthesis frame overlaps is later copied from the
  /// input instead.
  private mutating func addUnmodified(_ frame: StretchFrame) {
    let analysis = analysis(frame.window)
    let (window, fft) = (analysis.window, analysis.fft)
    output.addNorm(window, frame.centre)
    var channel = 0
    while channel < shape.channels {
      history.load(.channel(channel), frame.position, window, fft)
      output.add(fft.packed, fft, window, channel, frame.centre)
      channel &+= 1
    }
  }

  /// Adds a synthesis frame: the input with all bins rotated. If the frame follows a voice, its
  /// position may be moved.
  private mutating func addSynthesisFrame(_ frame: inout StretchFrame) {
    let position = frame.position
    let isUnity = map.isUnity(at: position)
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
      rigid.find(frame, map, onsets, history, analysis, sizes)
    }
    if isUnity {
      analysis.phases.runLocked()
      rotateBack(frame, analysis.phases)
    } else {
      analysis.phases.run()
    }
    analysis.rotateAll()
    formantGains = formants?.pointee.findGains(
      at: frame.position, bins: frame.window &+ 1, before: history.end)
    add(frame, analysis, gains(of: frame, analysis, isUnity: isUnity))
    unmodifiedFrom = frame.centre &+ Int64(truncatingIfNeeded: frame.window &>> 1)
  }

  /// Computes the phase differences in time and in frequency. `position` is the position of the
  /// frame in the time map.
  private func findSteps(
    to frame: StretchFrame, of position: Int64, _ follower: VoiceFollower,
    _ analysis: StretchAnalysis
  ) {
    if wayIsMeasured(to: frame) {
      analysis.findAdvance(hop: hop(to: frame), over: frame.position &- last.position)
    } else {
      analysis.findAdvance(into: analysis.phases.inTime)
    }
    let (factor, way) = (map.factor(at: position), map.way(from: frame.centre, to: position))
    // the better the frame continues a voice, the less the phase differences between neighbouring
    // bins are changed
    let free = 1 - follower.fit
    analysis.findSteps(
      stretch: 1 + Float(factor - 1) * free,
      way: map.isUnity(at: position) ? 0 : way * Double(free), hop: hop(to: frame))
  }

  /// Determines the bins that use a mean of several phases, and the bins with wider windows. If the
  /// distance between the last frame and this one is smaller in the input than in the output,
  /// decaying bands use the phase advance over one output hop.
  private func adjustSteps(to frame: StretchFrame, of position: Int64, _ phases: PhaseIntegration) {
    if isNearer(frame), !frame.isDense { bands.replace(phases.inTime, by: phases.inTimeNear) }
    let factor = map.factor(at: position)
    // above factor 1, the mean of several phases is used only in decaying bands and in voices
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

  /// The gains of the bins that are not fixed; `nil` if all are 1.
  ///
  /// The lost level is measured only if nothing else changes the level of the frame. This means
  /// that the frame has no fixed bins, is neither in a voice nor among dense transients, and does
  /// not have factor 1.
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
      let gain = RigidTransient.gain(0, 0, map.factor(at: frame.position), analysis.window)
      analysis.phases.gains.fill(gain, analysis.fft.room)
      return analysis.phases.gains
    }
    return isUnity ? analysis.phases.gains : isLevelled ? lost.gains : nil
  }

  /// Recomputes the last frame with the window of this one.
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

  /// Undoes part of the rotations, while the factor is 1.
  private func rotateBack(_ frame: StretchFrame, _ phases: PhaseIntegration) {
    let left = max(rotationLeft(at: frame.position), 0)
    phases.rotateBack(
      from: max(rotationLeft(at: last.position), left, 0x1p-10), to: left,
      quarter: Float(frame.window) / Float(2 &* sizes.longest))
  }

  /// Adds the rotated spectra to the output.
  private func add(
    _ frame: StretchFrame, _ analysis: StretchAnalysis, _ gains: UnsafeMutablePointer<Float>?
  ) {
    let (window, fft) = (analysis.window, analysis.fft)
    output.addNorm(window, frame.centre)
    // a transient in a wider window would be audible too early
    let isWidened = gains == lost.gains && !rigid.hasFixed
    var channel = 0
    while channel < shape.channels {
      let spectrum: Spectrum
      if shape.channels <= StretchHistory.mostGuides {
        spectrum = analysis.spectrum(channel)
      } else {
        spectrum = analysis.advance
        history.load(.channel(channel), frame.position, window, fft)
        fft.forward(spectrum)
        analysis.rotate(spectrum)
      }
      fft.inverse(
        analysis.scaled(
          spectrum, fixed: rigid.gain, gains: gains, formants: formantGains,
          isWidened: isWidened))
      output.add(fft.output, fft, window, channel, frame.centre)
      channel &+= 1
    }
  }
}
