// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Parameters of a quality of the sinc interpolation, 0 ... 10.
///
/// Lengths and frequencies apply if the output is at least as long as the input; for shorter
/// output, the kernel is stretched by 1 / factor, and all frequencies are lowered accordingly.
struct SincQuality {
  /// Number of frames on either side of a position that the kernel covers.
  let half: Int
  /// Attenuation in the stop band, in dB.
  let attenuation: Double
  /// Number of steps per frame in tables for arbitrary positions. The error of cubic interpolation
  /// between them is at most 0.5 / phases^4, where 0.5 is 3/128 of the largest fourth derivative of
  /// sinc, pi^4 / 5.
  let phases: Int

  /// The highest quality.
  static let highest: UInt32 = 10

  /// Kernels are padded with zeros to a multiple of this many frames on either side.
  static let block = 8

  /// The longest half-kernel of any quality at `scale`; 1 stands for all factors of 1 and above.
  static func longestHalf(scale: Double) -> Int { SincQuality(highest).half(scale: scale) }

  /// Number of weights around a position, on both sides together, that are in the core of a kernel
  /// (`SincDot`).
  static let core = 16

  /// Whether 24 bits are not precise enough for the whole kernel.
  var needsCore: Bool { attenuation > 120 }

  /// `timedsp.h` has the resulting pass bands (-3 dB) and memory.
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

  /// The shape parameter of the Kaiser window for that attenuation (Kaiser's formula for more than
  /// 50 dB: Oppenheim, Schafer, Discrete-Time Signal Processing, section 7.5.3).
  var beta: Double { 0.1102 * (attenuation - 8.7) }

  /// The frequency at which the response has dropped to one half, relative to the Nyquist
  /// frequency: half a transition band below the stop band. The width of the transition band
  /// follows Kaiser: (attenuation - 7.95) / 14.36 cycles in the whole kernel.
  var cutoff: Double { 1 - (attenuation - 7.95) / (14.36 * Double(2 &* half)) }
}
