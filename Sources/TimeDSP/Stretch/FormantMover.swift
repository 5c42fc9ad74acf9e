// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// Describes how formants are moved from one input frame of a stretcher on, until the next law
/// applies.
struct FormantLaw: BitwiseCopyable {
  /// Maps input frames of the stretcher, from the first to which the law applies, to positions in
  /// the input of the chain, where formants are measured. This is the curve of the scaler before the
  /// stretcher.
  let section: CurveSection
  /// A partial that has frequency f in the input gets the level of the input's envelope at f ×
  /// `ratio`. The ratio is 1 if formants are not moved.
  let ratio: Double
  /// Additional factor of the power, which keeps the loudness when the pitch changes.
  let level: Double

  /// The first input frame of the stretcher to which the law applies.
  var frame: Int64 { section.output.high }

  /// Input frames of the chain per input frame of the stretcher.
  var step: Double { section.speed }

  func position(of other: Int64) -> Double {
    section.input.value + section.input(of: Double(other &- frame))
  }
}

/// Computes the gains that move formants, the resonances of a voice or an instrument. Each bin of a
/// synthesis frame gets the level that the spectral envelope of the input has at a different
/// frequency. A `FormantLaw` determines this frequency.
struct FormantMover: ~Copyable {
  private let storage: Storage
  private let shape: AudioShape
  private var history: FormantHistory
  /// The laws of the stream, in order of time. If there are too many, the oldest is dropped.
  private var laws: FixedArray<FormantLaw>
  private let envelope: FormantEnvelope
  /// The gains of the bins of `envelope`. They are base-2 logarithms until `power(_:less:)`
  /// converts them.
  private let coarse: UnsafeMutablePointer<Float>
  /// The gains of the bins of the stretcher: the result.
  private let gains: UnsafeMutablePointer<Float>

  /// Limit of a gain or loss as a base-2 logarithm: 30 dB. A larger gain would make inaudible noise
  /// audible.
  private static let most: Float = 5

  /// Creates a mover for a stretcher with `layout`. `frame` is the position in the stream of the
  /// next input frame of the chain.
  ///
  /// Throws if memory cannot be allocated.
  init(_ layout: StretchLayout, from frame: Int64) throws(TimeDSPStatus) {
    let sizes = layout.sizes
    var counting = ScratchMemory(nil)
    _ = Parts(sizes, frame, &counting, computing: false)
    let storage = try Storage(bytes: counting.bytes)
    let laws = try FixedArray<FormantLaw>(capacity: 256)
    var memory = ScratchMemory(storage.base)
    let parts = Parts(sizes, frame, &memory, computing: true)
    (history, envelope) = (parts.history, parts.envelope)
    (coarse, gains) = (parts.coarse, parts.gains)
    shape = layout.shape
    self.storage = storage
    self.laws = laws
  }

  /// The parts of a mover that are in its storage.
  private struct Parts {
    let history: FormantHistory
    let envelope: FormantEnvelope
    let coarse: UnsafeMutablePointer<Float>
    let gains: UnsafeMutablePointer<Float>

    init(_ sizes: StretchSizes, _ frame: Int64, _ memory: inout ScratchMemory, computing: Bool) {
      history = FormantHistory(sizes, from: frame, &memory)
      envelope = FormantEnvelope(sizes, &memory, computing: computing)
      coarse = memory.allocate(Float.self, envelope.fft.room)
      gains = memory.allocate(Float.self, sizes.longest &+ 16)
    }
  }

  /// Receives `count` input frames of the chain.
  mutating func receive(_ planes: UnsafePointer<UnsafeRawPointer?>, _ count: Int) {
    history.append(planes, count, shape)
  }

  /// Appends a law. Drops all other laws that begin at the same frame or later.
  mutating func append(_ law: FormantLaw) {
    while let last = laws.last, last.frame >= law.frame { laws.removeLast() }
    if laws.isFull { laws.removeFirst() }
    laws.append(law)
  }

  /// Drops the laws that only apply before input frame `frame` of the stretcher.
  mutating func forget(before frame: Int64) {
    while let second = laws[1], second.frame <= frame { laws.removeFirst() }
  }

  /// The law that applies at input frame `frame` of the stretcher; `nil` before the first law.
  private func law(at frame: Int64) -> FormantLaw? {
    var index = laws.count &- 1
    while let law = laws[index], law.frame > frame { index &-= 1 }
    return laws[index]
  }

  /// Whether formants are moved at input frame `frame` of the stretcher.
  func moves(at frame: Int64) -> Bool { law(at: frame).map { $0.ratio != 1 } ?? false }

  /// Whether no formants are moved at `frame` or later.
  func isDone(from frame: Int64) -> Bool {
    laws.first { $0.frame > frame && $0.ratio != 1 } == nil && !moves(at: frame)
  }

  /// Computes the gains of the first `bins` bins of the synthesis frame whose analysis frame is
  /// around `frame`. The stretcher has received all input frames before `end`. Returns `nil` if
  /// formants are not moved at `frame`, or cannot be measured around `frame`.
  func findGains(
    at frame: Int64, bins: Int, before end: Int64
  ) -> UnsafeMutablePointer<Float>? {
    guard let law = self.law(at: frame), law.ratio != 1,
      law.step >= 1, law.step * FormantHistory.minFactor <= 1
    else { return nil }
    let centre = rounded(law.position(of: frame))
    let half = Int64(truncatingIfNeeded: envelope.window.count &>> 1)
    // Frames after the stretcher's input must not be used, even if some have arrived already.
    // Otherwise, the output would depend on how the input is divided into buffers.
    guard let last = self.law(at: end), Double(centre &+ half) <= last.position(of: end),
      history.load(centre, envelope.window, envelope.fft)
    else { return nil }
    guard let trust = envelope.measure() else { return nil }
    findCoarse(law)
    let (right, excess) = balance(law)
    let share = trust.share * right
    guard share > 0 else { return nil }
    power(share, less: excess)
    spread(step: Float(envelope.fft.half) / Float(bins &- 1) / Float(law.step), bins)
    return gains
  }

  /// Sets `coarse` to the gains of the envelope's bins, as base-2 logarithms.
  private func findCoarse(_ law: FormantLaw) {
    let (logs, half) = (envelope.logs, envelope.fft.half)
    let level = Lanes(repeating: Float(law.level)).binaryLogarithms[0]
    var position: Double = 0
    var bin = 0
    while bin <= half {
      let held = min(position, Double(half))
      let whole = min(Int(truncatingIfNeeded: timedsp_whole_part(held)), half &- 1)
      let distance = Float(held - Double(whole))
      let moved = logs[whole] + (logs[whole &+ 1] - logs[whole]) * distance
      coarse[bin] = min(max((moved - logs[bin] + level) * 0.5, 0 - Self.most), Self.most)
      position += law.ratio
      bin &+= 1
    }
  }

  /// Converts `coarse` from logarithms to gains. The level falls by `excess`, a base-2 logarithm of
  /// power, and only `share` of the logarithms is applied.
  private func power(_ share: Float, less excess: Float) {
    let half = envelope.fft.half
    let less = excess * 0.5
    for bin in upTo(half, by: 8) {
      coarse.put(((coarse.lanes(bin) - less) * share).binaryPowers, bin)
    }
    coarse[half] = Lanes(repeating: (coarse[half] - less) * share).binaryPowers[0]
  }

  /// Limits the effect of the gains on the level of the sound. `share` is the share of the gains to
  /// apply, 0 … 1. `excess` is how much too loud the sound would be with all gains, as a base-2
  /// logarithm of power.
  ///
  /// The share is 1 if the gains lower the power by at most 3 dB, and 0 from 6 dB on. A larger loss
  /// shows that the sound has only a few partials, and that the moved envelope is low at all of
  /// them. A sound with many partials can become too loud instead.
  private func balance(_ law: FormantLaw) -> (share: Float, excess: Float) {
    let after = power(below: Double(envelope.fft.half) / law.step, isGained: true)
    let before = power(below: Double(envelope.fft.half) / law.step, isGained: false)
    let wanted = power(below: Double(envelope.fft.half) / law.step * law.ratio, isGained: false)
    let kept = logarithm(after / before)
    let excess = logarithm(after / (wanted * Float(law.level / law.ratio)))
    return (min(max(2 + kept, 0), 1), max(excess, 0))
  }

  private func logarithm(_ ratio: Float) -> Float {
    Lanes(repeating: min(max(ratio, 1e-9), 1e9)).binaryLogarithms[0]
  }

  /// The power of all bins below `end`, with or without their gains.
  private func power(below end: Double, isGained: Bool) -> Float {
    let last = Int(truncatingIfNeeded: rounded(min(end, Double(envelope.fft.half))))
    var sum = Lanes.zero
    for bin in upTo(last, by: 8) {
      let gain = isGained ? coarse.lanes(bin).binaryPowers : Lanes(repeating: 1)
      sum += envelope.powers.lanes(bin) * gain * gain
    }
    return sum.total + .leastNormalMagnitude
  }

  /// Interpolates `coarse` into the first `bins` elements of `gains`. A bin of the stretcher is
  /// `step` bins of the envelope wide.
  private func spread(step: Float, _ bins: Int) {
    let half = envelope.fft.half
    var bin = 0
    while bin < bins {
      let position = min(Float(bin) * step, Float(half))
      let whole = min(Int(truncatingIfNeeded: timedsp_whole_part(Double(position))), half &- 1)
      let distance = position - Float(whole)
      gains[bin] = coarse[whole] + (coarse[whole &+ 1] - coarse[whole]) * distance
      bin &+= 1
    }
    while bin < bins &+ 8 {
      gains[bin] = 1
      bin &+= 1
    }
  }
}
