// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// Some bytes of a sound, which can be split without copying it.
protocol BytePiece: Sendable {
  var count: Int { get }
  /// At most that many of the first bytes.
  func prefix(_ maxLength: Int) -> Self
  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result
}

/// Joins regions that come one after the other, backwards or forward. Each ends with the overlap and
/// the warm-up of the next one; the next one begins with the overlap, and its warm-up has been
/// dropped. Knows neither files nor threads.
struct RegionJoin<Piece: BytePiece> {
  let frameBytes: Int
  /// The last frames of the upper region, kept back until the lower one is there.
  private var held: [Piece] = []
  private var heldBytes = 0
  let warmUpBytes: Int
  private let overlapBytes: Int
  private let slackFrames: Int

  /// `slackFrames` is how far from its place the overlap may lie.
  init(frameBytes: Int, rate: Int, slackFrames: Int) {
    self.frameBytes = frameBytes
    self.slackFrames = slackFrames
    warmUpBytes = RegionPlan.warmUpSeconds * rate * frameBytes
    overlapBytes = RegionPlan.overlapSeconds * rate * frameBytes
  }

  /// Number of bytes of a lower region that are compared.
  var comparedBytes: Int { overlapBytes }

  /// Adds a piece of a region, and returns the pieces that no join can concern any more.
  mutating func add(_ piece: Piece) -> [Piece] {
    held.append(piece)
    heldBytes += piece.count
    let kept = warmUpBytes + overlapBytes + slackFrames * frameBytes
    var ready = 0
    while ready < held.count, heldBytes - held[ready].count >= kept {
      heldBytes -= held[ready].count
      ready += 1
    }
    defer { held.removeFirst(ready) }
    return Array(held[..<ready])
  }

  /// The region has ended, and `lower`, of ``comparedBytes`` at least, is the beginning of the next
  /// one: returns the rest of the first up to there. nil if the two do not fit in exactly one
  /// position.
  mutating func join(_ lower: [Piece]) -> [Piece]? {
    let held = finish()
    let head = Self.bytes(of: lower)
    guard head.count >= overlapBytes, overlapBytes > 0,
      var left = place(of: head[..<overlapBytes], in: Self.bytes(of: held))
    else { return nil }
    return held.compactMap { piece in
      let part = piece.prefix(left)
      left -= part.count
      return part.count > 0 ? part : nil
    }
  }

  /// The remaining pieces at the end of the last region.
  mutating func finish() -> [Piece] {
    defer { (held, heldBytes) = ([], 0) }
    return held
  }

  /// A copy, of a few seconds only.
  private static func bytes(of pieces: [Piece]) -> [UInt8] {
    pieces.reduce(into: []) { bytes, piece in piece.withUnsafeBytes { bytes += $0 } }
  }

  /// In silence, and in periodic sound, it may fit in several positions.
  private func place(of head: ArraySlice<UInt8>, in held: [UInt8]) -> Int? {
    let planned = held.count - warmUpBytes - overlapBytes
    let places = (-slackFrames...slackFrames).map { planned + $0 * frameBytes }
    let fits = places.filter { place in
      place >= 0 && place + head.count <= held.count
        && held.withUnsafeBytes { held in
          head.withUnsafeBytes { head in
            guard let there = held.baseAddress, let here = head.baseAddress else { return false }
            return memcmp(there + place, here, head.count) == 0
          }
        }
    }
    return fits.count == 1 ? fits[0] : nil
  }
}
