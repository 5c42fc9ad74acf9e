// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP
import TimeDSPCore

/// What a search came to.
struct SearchResult: Equatable, CustomStringConvertible {
  var shift: Int64
  var isFound: Bool
  var error = 0.0

  static let nothing = SearchResult(shift: 0, isFound: false)

  var description: String { "\(isFound ? "found" : "not found") at \(shift), error \(error)" }
}

/// `timedsp_find_take()` of planes of bytes, at any alignment.
func findTake(
  _ take: [[UInt8]], _ needle: [[UInt8]], stride: Int, planned: Int, search: Int
) -> SearchResult {
  let takePlanes = PlacedPlanes(take)
  let needlePlanes = PlacedPlanes(needle)
  var (shift, found) = (Int64(42), Int32(42))
  let status = timedsp_find_take(
    takePlanes.addresses, take[0].count / stride, needlePlanes.addresses,
    needle[0].count / stride, UInt32(take.count), stride, planned, search, &shift, &found)
  precondition(status == TIMEDSP_OK)
  return SearchResult(shift: shift, isFound: found == 1)
}

/// `timedsp_align_take()`.
func alignTake(
  _ take: [Double], _ needle: [Double], channels: Int = 1, planned: Int, search: Int
) -> SearchResult {
  var (shift, error, found) = (Int64(42), 42.0, Int32(42))
  let status = timedsp_align_take(
    take, take.count / channels, needle, needle.count / channels, UInt32(channels), planned,
    search, &shift, &error, &found)
  precondition(status == TIMEDSP_OK)
  return SearchResult(shift: shift, isFound: found == 1, error: error)
}

/// Planes in memory of their own, each a byte farther from any alignment.
private final class PlacedPlanes {
  private let memory: [UnsafeMutableRawPointer]
  private let list: UnsafeMutableBufferPointer<UnsafeRawPointer?>

  init(_ planes: [[UInt8]]) {
    memory = planes.map { .allocate(byteCount: $0.count + 64, alignment: 64) }
    list = .allocate(capacity: planes.count)
    for (index, plane) in planes.enumerated() {
      let start = memory[index] + (index + 1) % 64
      start.copyMemory(from: plane, byteCount: plane.count)
      list.initializeElement(at: index, to: UnsafeRawPointer(start))
    }
  }

  deinit {
    for plane in memory { plane.deallocate() }
    list.deallocate()
  }

  var addresses: UnsafePointer<UnsafeRawPointer?>? { UnsafePointer(list.baseAddress) }
}

/// The places that a search looks at, in its order: by definition rather than
/// one after the other.
func placesInOrder(take: Int, needle: Int, planned: Int, search: Int) -> [Int] {
  let places = (0..<max(take - needle + 1, 0)).filter { abs($0 - planned) <= search }
  return places.sorted { (abs($0 - planned), $0) < (abs($1 - planned), $1) }
}
