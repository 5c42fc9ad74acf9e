// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

/// How formants move from one input frame of a stretcher on, until the next law.
struct FormantLaw: BitwiseCopyable {
  /// The curve of the scaler before the stretcher. From the law's first frame on, it maps input
  /// frames of the stretcher to positions in the chain's input, where we measure formants.
  let section: CurveSection
  /// A partial at frequency f of the input gets the level of the input's envelope at f × `ratio`.
  /// At 1, formants don't move.
  let ratio: Double
  /// Another factor of the power, which keeps the loudness when the pitch changes.
  let level: Double

  /// The law's first input frame of the stretcher.
  var frame: Int64 { section.output.high }

  /// Input frames of the chain per input frame of the stretcher.
  var step: Double { section.speed }

  func position(of other: Int64) -> Double {
    section.input.value + section.input(of: Double(other &- frame))
  }
}

/// Computes the gains that move formants, the resonances of a voice or an instrument. Each bin of a
/// synthesis frame gets the level that the input's spectral envelope has at another frequency. The
/// `FormantLaw` says at which.
struct FormantMover: ~Copyable {
  private let storage: Storage
  private let shape: AudioShape
  private var history: FormantHistory
  /// In order of time. If there are too many, the oldest goes.
  private var laws: FixedArray<FormantLaw>
  private let envelope: FormantEnvelope
  /// For the bins of `envelope`. They're base-2 logarithms until `power(_:less:)` converts them.
  private let coarse: UnsafeMutablePointer<Float>
  /// The result, for the bins of the stretcher.
  private let gains: UnsafeMutablePointer<Float>

  /// The max gain or loss as a base-2 logarithm: 30 dB. A larger gain would make you hear noise
  /// that you don't hear now.
  private static let most: Float = 5

  /// `frame` is the stream position of the chain's next input frame.
  ///
  /// Throws if there's no memory.
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

  mutating func receive(_ planes: UnsafePointer<UnsafeRawPointer?>, _ count: Int) {
    history.append(planes, count, shape)
  }

  /// Drops all other laws that begin at the same frame or later.
  mutating func append(_ law: FormantLaw) {
    while let last = laws.last, last.frame >= law.frame { laws.removeLast() }
    if laws.isFull { laws.removeFirst() }
    laws.append(law)
  }

  /// An input frame of the stretcher.
  mutating func forget(before frame: Int64) {
    while let second = laws[1], second.frame <= frame { laws.removeFirst() }
  }

  /// An input frame of the stretcher. `nil` before the first law.
  private func law(at frame: Int64) -> FormantLaw? {
    var index = laws.count &- 1
    while let law = laws[index], law.frame > frame { index &-= 1 }
    return laws[index]
  }

  /// An input frame of the stretcher.
  func moves(at frame: Int64) -> Bool { law(at: frame).map { $0.ratio != 1 } ?? false }

  func isDone(from frame: Int64) -> Bool {
    laws.first { $0.frame > frame && $0.ratio != 1 } == nil && !moves(at: frame)
  }

  /// For the first `bins` bins of the synthesis frame whose analysis frame is around `frame`. The
  /// stretcher has received all input frames before `end`. `nil` if formants don't move at `frame`,
  /// or if we can't measure them there.
  func findGains(
    at frame: Int64, bins: Int, before end: Int64
  ) -> UnsafeMutablePointer<Float>? {
    guard let law = self.law(at: frame), law.ratio != 1,
      law.step >= 1, law.step * FormantHistory.minFactor <= 1
    else { return nil }
    let centre = rounded(law.position(of: frame))
    let half = Int64(truncatingIfNeeded: envelope.window.count &>> 1)
    // We mustn't use frames after the stretcher's input, even if some have arrived. Otherwise, the
    // output would depend on how you divide the input into buffers.
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

  /// Converts `share` of the logarithms in `coarse` to gains, lower by `excess`, a base-2 logarithm
  /// of power.
  private func power(_ share: Float, less excess: Float) {
    let half = envelope.fft.half
    let less = excess * 0.5
    for bin in upTo(half, by: 8) {
      coarse.put(((coarse.lanes(bin) - less) * share).binaryPowers, bin)
    }
    coarse[half] = Lanes(repeating: (coarse[half] - less) * share).binaryPowers[0]
  }

  /// Limits what the gains do to the level of the sound. Apply `share` of them, 0 … 1. With all
  /// gains, the sound would be too loud by `excess`, a base-2 logarithm of power.
  ///
  /// The share is 1 if the gains lower the power by at most 3 dB, and 0 from 6 dB on. If the loss
  /// is larger, the sound has only a few partials, and the moved envelope is low at all of them. A
  /// sound with many partials can become too loud instead.
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

  private func power(below end: Double, isGained: Bool) -> Float {
    let last = Int(truncatingIfNeeded: rounded(min(end, Double(envelope.fft.half))))
    var sum = Lanes.zero
    for bin in upTo(last, by: 8) {
      let gain = isGained ? coarse.lanes(bin).binaryPowers : Lanes(repeating: 1)
      sum += envelope.powers.lanes(bin) * gain * gain
    }
    return sum.total + .leastNormalMagnitude
  }

  /// From `coarse` to `gains`. A bin of the stretcher is `step` bins of the envelope wide.
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
