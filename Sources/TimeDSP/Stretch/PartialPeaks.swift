// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Tells `DenseTransients` if a sound has partials. They're peaks in the mean of several power
/// spectra with the longest window. Noise and transients leave none there.
struct PartialPeaks {
  private let window: StretchWindow
  private let fft: RealFFT
  private let spectrum: Spectrum
  private let means: UnsafeMutablePointer<Float>
  private let bins: Range<Int>
  /// The first bin above 800 Hz.
  private let high: Int
  private var count = 0
  /// The newest spectrum is around this frame.
  private var middle: Int64 = .min
  /// Guide channels (`StretchHistory`) in the newest spectrum so far.
  private var guides = 0

  /// We need this many spectra to decide.
  private static let least = 4
  /// No more spectra count than these.
  private static let most = 8
  /// A partial's min power relative to the louder valley beside it: 7 dB.
  private static let minPeak: Float = 5
  /// A partial's min power relative to the loudest bin: -40 dB.
  private static let minOfLoudest: Float = 1e-4
  /// Without partials, at least this share of the power is above 800 Hz.
  private static let minHigh: Float = 0.3
  /// The min distance from a peak to a valley, in bins: half of the main lobe under a Hann window.
  private static let near = 2
  /// The max distance, in bins.
  private static let far = 5

  init(
    _ sizes: StretchSizes, _ window: StretchWindow, _ memory: inout ScratchMemory, computing: Bool
  ) {
    self.window = window
    fft = RealFFT(window.count, &memory, computing: computing)
    spectrum = Spectrum(fft.room, &memory)
    means = memory.allocate(Float.self, fft.room)
    let binHz = Double(sizes.rate) / Double(fft.count)
    let first = max(Int(truncatingIfNeeded: rounded(50 / binHz)), Self.far)
    bins = Range(uncheckedBounds: (first, max(fft.half &- Self.far, first)))
    high = min(Int(truncatingIfNeeded: rounded(800 / binHz)), fft.half)
  }

  mutating func start() { (count, middle) = (0, .min) }

  /// Adds the spectrum around input frame `position`, except guide channels that `addGuide` has
  /// added.
  mutating func add(around position: Int64, _ history: StretchHistory) {
    repeat { addGuide(around: position, history) } while guides < history.guides
  }

  /// Adds one more guide channel around input frame `position`, if there's one left. The whole
  /// window must have arrived.
  mutating func addGuide(around position: Int64, _ history: StretchHistory) {
    if middle != position { begin(around: position) }
    guard guides < history.guides else { return }
    history.load(.guide(guides), position, window, fft)
    fft.forward(spectrum)
    let part = 1 / Float(count)
    for bin in upTo(fft.room, by: 8) {
      let power = ComplexLanes(spectrum, bin).squarable.power
      means.put(means.lanes(bin) + power * part, bin)
    }
    guides &+= 1
  }

  private mutating func begin(around position: Int64) {
    (middle, guides) = (position, 0)
    count = min(count &+ 1, Self.most)
    let part = 1 / Float(count)
    for bin in upTo(fft.room, by: 8) {
      means.put(count == 1 ? Lanes.zero : means.lanes(bin) * (1 - part), bin)
    }
  }

  /// True if there are enough spectra, enough of their power is above 800 Hz, and their mean has no
  /// partials.
  var areAbsent: Bool {
    guard count >= Self.least else { return false }
    var (low, all, loudest): (Float, Float, Float) = (0, 0, 0)
    var bin = bins.lowerBound
    while bin < bins.upperBound {
      all += means[bin]
      if bin < high { low += means[bin] }
      loudest = max(loudest, means[bin])
      bin &+= 1
    }
    guard all > 0, all - low > Self.minHigh * all else { return false }
    bin = bins.lowerBound
    while bin < bins.upperBound {
      let isLoud = means[bin] > Self.minOfLoudest * loudest
      if isLoud, means[bin] >= means[bin &- 1], means[bin] >= means[bin &+ 1],
        means[bin] > Self.minPeak * valley(around: bin)
      {
        return false
      }
      bin &+= 1
    }
    return true
  }

  /// The louder valley on either side.
  private func valley(around bin: Int) -> Float {
    var (below, above) = (means[bin &- Self.near], means[bin &+ Self.near])
    var distance = Self.near
    while distance <= Self.far {
      below = min(below, means[bin &- distance])
      above = min(above, means[bin &+ distance])
      distance &+= 1
    }
    return max(below, above)
  }
}
