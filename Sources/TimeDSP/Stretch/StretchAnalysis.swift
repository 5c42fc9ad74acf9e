// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The spectra of analysis frames for one window length, and their phase differences. A stretcher
/// has up to three analyses, which share memory. In sums over the guide channels
/// (`StretchHistory`), the loudest channel counts most.
struct StretchAnalysis {
  let fft: RealFFT
  let window: StretchWindow
  /// For each guide channel, the real parts of a spectrum, then its imaginary parts. It's that of
  /// the last synthesis frame, until `measureSlope` replaces it with that of the current analysis
  /// frame.
  private let spectra: UnsafeMutablePointer<Float>
  /// The same for the copies of `RigidTransient`.
  private let copies: UnsafeMutablePointer<Float>
  private let stride: Int
  let guides: Int
  let phases: PhaseIntegration
  let other: Spectrum
  /// For each bin, a × conj(b), summed over the guide channels. a is the spectrum of the last
  /// synthesis frame, and b that of the input one hop before the current analysis frame. The
  /// argument is the rotation that continues the phase of the last synthesis frame. Once we know
  /// the rotations, the memory is for temporary results.
  let advance: Spectrum
  /// For each bin k of the current analysis frame X, X[k] × conj(X[k - 1]), summed over the guide
  /// channels. The argument shows where in the window this bin's sound is.
  let slope: Spectrum
  /// `slope` for the input one hop before the current analysis frame.
  let slopeBefore: Spectrum

  /// Elements before bin 0, because we read the bin below each bin.
  private static let lead = 16

  init(_ sizes: StretchSizes, guides: Int, _ memory: inout ScratchMemory, computing: Bool) {
    fft = RealFFT(2 &* sizes.longest, &memory, computing: computing)
    window = StretchWindow(sizes.longest, &memory, computing: computing)
    phases = PhaseIntegration(sizes.longest &+ 1, &memory)
    self.guides = guides
    stride = fft.room &+ Self.lead
    // `widened` reads one bin after the last
    spectra = memory.allocate(Float.self, 2 &* guides &* stride &+ Self.lead)
    copies = memory.allocate(Float.self, 2 &* guides &* stride)
    other = Spectrum(fft.room, lead: Self.lead, &memory)
    advance = Spectrum(fft.room &+ Self.lead, lead: Self.lead, &memory)
    slope = Spectrum(fft.room, &memory)
    // we read up to two elements on either side of the bins
    slopeBefore = Spectrum(fft.room &+ Self.lead, lead: Self.lead, &memory)
  }

  /// Before the stream, there's silence.
  func start() {
    phases.start()
    spectra.fill(0, 2 &* guides &* stride &+ Self.lead)
    other.clear(from: 0 &- Self.lead, to: fft.room)
    advance.clear(from: 0 &- Self.lead, to: fft.room &+ Self.lead)
    slopeBefore.clear(from: 0 &- Self.lead, to: fft.room &+ Self.lead)
  }

  /// For a shorter window of `count` frames, in the memory of `long`.
  init(_ count: Int, sharing long: StretchAnalysis, _ memory: inout ScratchMemory, computing: Bool)
  {
    fft = RealFFT(2 &* count, &memory, computing: computing)
    window = StretchWindow(count, &memory, computing: computing)
    phases = PhaseIntegration(count &+ 1, sharing: long.phases)
    (guides, stride) = (long.guides, long.stride)
    (spectra, copies) = (long.spectra, long.copies)
    (other, advance) = (long.other, long.advance)
    (slope, slopeBefore) = (long.slope, long.slopeBefore)
  }

  func spectrum(_ guide: Int) -> Spectrum { part(guide, of: spectra) }

  func copy(_ guide: Int) -> Spectrum { part(guide, of: copies) }

  private func part(_ guide: Int, of memory: UnsafeMutablePointer<Float>) -> Spectrum {
    let base = memory + 2 &* guide &* stride + Self.lead
    return Spectrum(re: base, im: base + stride)
  }

  /// Recomputes the last frame's spectra with this window, from the input around `position`. With
  /// `rotating`, its rotations are applied, and you get those of the synthesis frame.
  func restate(_ position: Int64, _ history: StretchHistory, rotating: Bool) {
    clear(phases.lastPower)
    if !rotating { phases.rotations.clear(phases.bins) }
    for guide in upTo(guides) {
      history.load(.guide(guide), position, window, fft)
      fft.forward(spectrum(guide))
      if rotating { rotate(spectrum(guide)) }
      addPower(spectrum(guide), to: phases.lastPower)
    }
  }

  private func clear(_ numbers: UnsafeMutablePointer<Float>) { numbers.fill(0, fft.room) }

  /// Sets `advance` and `slopeBefore` from the input `hop` frames before `position`.
  func measureAdvance(
    _ position: Int64, hop: Int64, _ history: StretchHistory
  ) {
    advance.clear(from: 0, to: fft.room)
    slopeBefore.clear(from: 0, to: fft.room)
    for guide in upTo(guides) {
      history.load(.guide(guide), position &- hop, window, fft)
      fft.forward(other)
      addAdvance(spectrum(guide))
      addSlope(other, to: slopeBefore)
    }
  }

  /// The spectra become those of the analysis frame at `position`. Sets `slope` and `phases.power`.
  /// With `comparing`, also sets `advance` to a × conj(b), where a is the spectrum of the last
  /// synthesis frame, and b the new one.
  func measureSlope(
    _ position: Int64, _ history: StretchHistory, comparing: Bool = false
  ) {
    clear(phases.power)
    slope.clear(from: 0, to: fft.room)
    if comparing { advance.clear(from: 0, to: fft.room) }
    for guide in upTo(guides) {
      let spectrum = spectrum(guide)
      history.load(.guide(guide), position, window, fft)
      if comparing {
        fft.forward(other)
        addAdvance(spectrum)
        copy(other, to: spectrum)
      } else {
        fft.forward(spectrum)
      }
      addSlope(spectrum, to: slope)
      addPower(spectrum, to: phases.power)
    }
  }

  private func copy(_ source: Spectrum, to target: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      ComplexLanes(source, bin).store(target, bin)
    }
  }

  private func addAdvance(_ spectrum: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      let product = ComplexLanes(spectrum, bin).timesConjugate(ComplexLanes(other, bin))
      (ComplexLanes(advance, bin) + product).store(advance, bin)
    }
  }

  private func addSlope(_ spectrum: Spectrum, to slope: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      let below = ComplexLanes(spectrum, bin &- 1)
      let product = ComplexLanes(spectrum, bin).timesConjugate(below)
      (ComplexLanes(slope, bin) + product).store(slope, bin)
    }
  }

  func addPower(_ spectrum: Spectrum, to powers: UnsafeMutablePointer<Float>) {
    for bin in upTo(fft.room, by: 8) {
      powers.put(powers.lanes(bin) + ComplexLanes(spectrum, bin).power, bin)
    }
  }

  /// After this, the guide channels have the spectra of the last synthesis frame.
  func rotateAll() {
    for guide in upTo(guides) {
      rotate(spectrum(guide))
    }
    for bin in upTo(fft.room, by: 8) {
      phases.lastPower.put(phases.power.lanes(bin), bin)
    }
  }

  func rotate(_ spectrum: Spectrum) {
    for bin in upTo(fft.room, by: 8) {
      let rotation = ComplexLanes(unit: phases.rotations.lanes(bin))
      (ComplexLanes(spectrum, bin) * rotation).store(spectrum, bin)
    }
  }

  /// Multiplies `spectrum` by `fixed` for fixed bins (`PhaseIntegration`), by `gains` for all
  /// others, and by `formants` for all bins. `nil` stands for gains of 1. With `isWidened`, we
  /// first go to a wider window (`widened`).
  func scaled(
    _ spectrum: Spectrum, fixed: Float, gains: UnsafeMutablePointer<Float>?,
    formants: UnsafeMutablePointer<Float>?, isWidened: Bool
  ) -> Spectrum {
    if fixed == 1, gains == nil, formants == nil { return spectrum }
    let fixed = Lanes(repeating: fixed)
    for bin in upTo(fft.room, by: 8) {
      let free = gains?.lanes(bin) ?? Lanes(repeating: 1)
      var factor = free.replaced(by: fixed, where: phases.isFixed.marks(bin))
      if let formants { factor *= formants.lanes(bin) }
      let numbers = isWidened ? widened(spectrum, bin) : ComplexLanes(spectrum, bin)
      ComplexLanes(numbers.re * factor, numbers.im * factor).store(other, bin)
    }
    return other
  }

  /// Each of eight bins x becomes x + d × (x - (y + z) / 2), where y and z are its neighbours, and
  /// d is its element of `widening`. The spectrum has twice as many points as the window, and is
  /// centred on time 0. So this multiplies the window by 1 + d × (1 - cos πt), with t from -1/2 to
  /// 1/2.
  @inline(__always)
  private func widened(_ spectrum: Spectrum, _ bin: Int) -> ComplexLanes {
    let numbers = ComplexLanes(spectrum, bin)
    let sides = ComplexLanes(spectrum, bin &- 1) + ComplexLanes(spectrum, bin &+ 1)
    let share = phases.widening.lanes(bin)
    return ComplexLanes(
      numbers.re + share * (numbers.re - sides.re * 0.5),
      numbers.im + share * (numbers.im - sides.im * 0.5))
  }

  /// Sums each bin at `position` over the guide channels.
  func measurePower(
    _ position: Int64, _ history: StretchHistory, _ powers: UnsafeMutablePointer<Float>
  ) {
    clear(powers)
    for guide in upTo(guides) {
      history.load(.guide(guide), position, window, fft)
      fft.forward(other)
      addPower(other, to: powers)
    }
  }
}
