// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Divides the spectrum into bands, and finds which of them are steady and which decay after a
/// transient.
///
/// If a band's power is near its recent maximum, which decays by 4 % per frame, the band is steady.
/// We stretch decaying bands differently, because struck or plucked notes decay equally fast at any
/// tempo.
struct SteadyBands {
  let count: Int
  /// Each band's first bin, and the bin after the last band, all multiples of eight.
  private let edges: UnsafeMutablePointer<Int>
  /// For each band, from 0 for decaying to 1 for steady.
  let shares: UnsafeMutablePointer<Float>
  /// For each band, the recent maximum of the power.
  let loudest: UnsafeMutablePointer<Float>

  static let most = 56
  /// At this power relative to its recent maximum (-6 dB), a band is decaying. From twice this
  /// power on (-3 dB), it's steady.
  private static let least: Float = 0.25
  private static let forgetting: Float = 1 / 24
  /// A transient fills only a part of its window. We estimate its power at this much of the mean.
  private static let onsetGain: Float = 2
  /// Lower powers are silence. This also avoids subnormal numbers.
  private static let silence: Float = 1e-18

  /// For `room` bins. A band has at least 16 bins, and at least an eighth of all bins below it,
  /// rounded down to a multiple of eight.
  init(_ room: Int, _ memory: inout ScratchMemory, computing: Bool) {
    edges = memory.allocate(Int.self, Self.most &+ 1)
    shares = memory.allocate(Float.self, Self.most)
    loudest = memory.allocate(Float.self, Self.most)
    var (count, edge) = (0, 0)
    while count < Self.most, edge < room {
      if computing { edges[count] = edge }
      count &+= 1
      edge = min(room, edge &+ max(16, (edge &>> 3) & ~7))
    }
    if computing { edges[count] = room }
    self.count = count
  }

  func start() {
    shares.fill(0, Self.most)
    loudest.fill(0, Self.most)
  }

  @inline(__always)
  func bins(_ band: Int) -> Range<Int> {
    Range(uncheckedBounds: (edges[band], edges[band &+ 1]))
  }

  func compare(_ powers: UnsafeMutablePointer<Float>, hasOnset: Bool) {
    let height = hasOnset ? Self.onsetGain : 1
    for band in upTo(count) {
      let bins = bins(band)
      var sum = Lanes.zero
      for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
        sum += powers.lanes(bin)
      }
      let power = sum.total
      let past = loudest[band] * (1 - Self.forgetting)
      loudest[band] = max(power * height, past, Self.silence)
      let share = power / loudest[band] - Self.least
      shares[band] = min(max(share / Self.least, 0), 1)
    }
  }

  /// In decaying bands.
  func replace(_ phases: UnsafeMutablePointer<UInt32>, by others: UnsafeMutablePointer<UInt32>) {
    for band in upTo(count) {
      let bins = bins(band)
      let start = shares[band] <= 0 ? bins.lowerBound : bins.upperBound
      for bin in upTo(bins.upperBound, from: start, by: 8) {
        phases.put(others.lanes(bin), bin)
      }
    }
  }

  /// By `dying` in a decaying band and by `steady` in a steady one, with interpolation between the
  /// two.
  func scale(
    _ numbers: UnsafeMutablePointer<Float>, into target: UnsafeMutablePointer<Float>,
    dying: Float, steady: Float
  ) {
    for band in upTo(count) {
      let (bins, rest) = (bins(band), dying + (steady - dying) * shares[band])
      for bin in upTo(bins.upperBound, from: bins.lowerBound, by: 8) {
        target.put(numbers.lanes(bin) * rest, bin)
      }
    }
  }
}

extension Lanes {
  /// In a fixed order.
  @inline(__always)
  var total: Float {
    let four = lowHalf + highHalf
    return (four[0] + four[2]) + (four[1] + four[3])
  }
}
