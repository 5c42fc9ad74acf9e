// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// What a quality, 0 ... 10, means for the sinc interpolation.
///
/// A kernel gives the frames around a position their weights: sin (π × c × t) / (π × t) under a
/// Kaiser window. Except for its transition band, it's an ideal low-pass filter. The quality sets
/// its length. If the output is shorter than the input, we stretch the kernel by 1 / factor, to
/// filter out frequencies that the output can't represent and that would alias.
///
///     quality                        0    1    2    3    4    5    6    7    8    9   10
///     frames on either side          8   16   24   32   40   64   96  104  112  120  136
///     pass band (-3 dB), of Nyquist .745 .836 .875 .894 .911 .933 .950 .952 .954 .956 .960
///     stop band, -dB                52   71   81   92   95  114  128  133  136  141  145
///     KiB, 2 channels of F32      1067  864  831  863  895 1031 1541 1641 1742 1843 2046
///
/// The stop band begins at the Nyquist frequency. Its worst-case attenuation improves with every
/// quality. At a higher quality, a single tone may still be attenuated less, if it falls on a lobe
/// of the response there, and between two lobes at the lower quality.
///
/// The memory in the table (`Scaler.memoryBytes`) is enough for every factor. S32 and F64 need up
/// to twice as much. Each additional channel needs up to 650 KiB for history and scratch memory,
/// most of which is touched only near factor 0.01. We compute the kernels for the initial factor
/// when the scaler is created, and those for any later constant factor when we need them. A kernel
/// depends only on the factor.
///
/// We sum S16 and F32 in single precision, from the ends of the kernel inwards, and for F32 from
/// quality 6 on, the middle 16 frames in double precision. We sum S32 and F64 in double precision.
/// A channel's result doesn't depend on the number of channels.
///
/// The gain at DC is 1 within 1e-7 for F32 and within 1e-14 for F64. Below quality 6, rounding
/// changes a single frame of F32 by up to 4e-7.
///
/// We filter a position exactly on a frame like any other. You get the input bit for bit only at a
/// constant factor of 1, or if input and output have equal lengths. While the factor changes and is
/// below 1, every frame needs a new kernel, which takes several times as long.
///
/// Lengths and frequencies in the table are for output that's at least as long as the input. If
/// it's shorter, multiply lengths by 1 / factor, and frequencies by the factor.
struct SincQuality {
  /// Unstretched, the kernel covers this many frames on either side of a position.
  let half: Int
  /// In the stop band, in dB.
  let attenuation: Double
  /// Steps per frame, in `SincPrototype` and in fine banks (`SincBank`). Cubic interpolation
  /// between the steps has an error of at most 0.5 / phases^4. The 0.5 is 3/128 of the largest
  /// fourth derivative of sinc, pi^4 / 5, rounded up.
  let phases: Int

  static let highest: UInt32 = 10

  /// We pad kernels with zeros to a multiple of this many frames on either side.
  static let block = 8

  /// The longest kernel of any quality covers this many frames on either side at `scale`, which is
  /// 1 for all factors of 1 and above.
  static func longestHalf(scale: Double) -> Int { SincQuality(highest).half(scale: scale) }

  /// Weights in the core of a kernel (`SincDot`), both sides together.
  static let core = 16

  /// Sums of 24 bits would be less precise than the attenuation, so the middle weights of kernels
  /// must be in double precision.
  var needsCore: Bool { attenuation > 120 }

  init(_ quality: UInt32) {
    switch quality {
    case 0: self.init(half: 8, attenuation: 55, phases: 32)
    case 1: self.init(half: 16, attenuation: 70, phases: 32)
    case 2: self.init(half: 24, attenuation: 80, phases: 32)
    case 3: self.init(half: 32, attenuation: 90, phases: 64)
    case 4: self.init(half: 40, attenuation: 95, phases: 64)
    case 5: self.init(half: 64, attenuation: 114, phases: 64)
    case 6: self.init(half: 96, attenuation: 126.5, phases: 128)
    case 7: self.init(half: 104, attenuation: 132, phases: 128)
    case 8: self.init(half: 112, attenuation: 136, phases: 128)
    case 9: self.init(half: 120, attenuation: 140, phases: 128)
    default: self.init(half: 136, attenuation: 144.2, phases: 128)
    }
  }

  private init(half: Int, attenuation: Double, phases: Int) {
    self.half = half
    self.attenuation = attenuation
    self.phases = phases
  }

  /// The Kaiser window's shape parameter for `attenuation`, by Kaiser's formula for more than 50 dB
  /// (Oppenheim, Schafer, Discrete-Time Signal Processing, section 7.5.3).
  var beta: Double { 0.1102 * (attenuation - 8.7) }

  /// Where the response has dropped to one half, relative to the Nyquist frequency. It's half a
  /// transition band below the stop band. By Kaiser's formula, a transition band is
  /// (attenuation - 7.95) / 14.36 cycles per kernel length wide.
  var cutoff: Double { 1 - (attenuation - 7.95) / (14.36 * Double(2 &* half)) }
}
