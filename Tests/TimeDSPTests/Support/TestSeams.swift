// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// The result of a search for a needle (a few frames) in a decode.
struct SearchResult: Equatable, CustomStringConvertible {
  var shift: Int64
  var isFound: Bool
  var error = 0.0

  static let nothing = SearchResult(shift: 0, isFound: false)

  var description: String { "\(isFound ? "found" : "not found") at \(shift), error \(error)" }
}

/// Runs `DecodeAlignment` for a needle.
func alignTake(
  _ take: [Double], _ needle: [Double], channels: Int = 1, planned: Int, search: Int
) -> SearchResult {
  let (take, needle) = (finite(take), finite(needle))
  return alignFinite(take, needle, channels, planned, search)
}

private func finite(_ samples: [Double]) -> [Double] {
  var samples = samples
  samples.withUnsafeMutableBufferPointer {
    if let base = $0.baseAddress { silenceStrange(base, count: $0.count) }
  }
  return samples
}

private func alignFinite(
  _ take: [Double], _ needle: [Double], _ channels: Int, _ planned: Int, _ search: Int
) -> SearchResult {
  take.withUnsafeBytes { takeBytes in
    needle.withUnsafeBytes { needleBytes in
      guard let takeStart = takeBytes.baseAddress, let needleStart = needleBytes.baseAddress,
        let places = SearchPositions(
          decode: take.count / channels, needle: needle.count / channels, planned: planned,
          search: search)
      else { return .nothing }
      let alignment = DecodeAlignment(
        decode: takeStart, needle: needleStart, channels: channels,
        needleFrames: needle.count / channels)
      guard let place = alignment.best(of: places, planned: planned) else { return .nothing }
      return SearchResult(
        shift: Int64(place.frame - planned), isFound: true,
        error: alignment.relativeError(of: place))
    }
  }
}

/// The positions that a search must compare, in order. The positions are calculated directly from
/// the definition, without the loop of the search.
func placesInOrder(take: Int, needle: Int, planned: Int, search: Int) -> [Int] {
  let places = (0..<max(take - needle + 1, 0)).filter { abs($0 - planned) <= search }
  return places.sorted { (abs($0 - planned), $0) < (abs($1 - planned), $1) }
}
