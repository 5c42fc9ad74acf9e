// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// Consecutive bytes of audio, which you can split without copying.
protocol BytePiece: Sendable {
  var count: Int { get }
  func prefix(_ maxLength: Int) -> Self
  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result
}

/// Joins consecutive regions, in output order. Each region ends with two parts that are also in the
/// next one: the overlap, followed by the warm-up (``RegionPlan/warmUpSeconds``). The next region
/// begins with the same overlap. Going forwards, you have to skip the next region's own warm-up.
struct RegionJoin<Piece: BytePiece> {
  let frameBytes: Int
  /// The last pieces of the previous region, waiting for the next region.
  private var held: [Piece] = []
  private var heldBytes = 0
  let warmUpBytes: Int
  private let overlapBytes: Int
  private let slackFrames: Int

  /// The overlap may be up to `slackFrames` frames away from where we expect it.
  init(frameBytes: Int, rate: Int, slackFrames: Int) {
    self.frameBytes = frameBytes
    self.slackFrames = slackFrames
    warmUpBytes = RegionPlan.warmUpSeconds * rate * frameBytes
    overlapBytes = RegionPlan.overlapSeconds * rate * frameBytes
  }

  var comparedBytes: Int { overlapBytes }

  /// Adds a piece of a region. Returns the pieces before the overlap, which are ready to be sent.
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

  /// Joins the next region, which begins with `lower`. `lower` must have at least ``comparedBytes``
  /// bytes. Returns the rest of the previous region up to the seam, or nil unless the two regions
  /// match at exactly one position.
  mutating func join(_ lower: [Piece]) -> [Piece]? {
    let held = finish()
    let head = Self.bytes(of: lower)
    guard head.count >= overlapBytes, overlapBytes > 0,
      var left = offset(of: head[..<overlapBytes], in: Self.bytes(of: held))
    else { return nil }
    return held.compactMap { piece in
      let part = piece.prefix(left)
      left -= part.count
      return part.count > 0 ? part : nil
    }
  }

  mutating func finish() -> [Piece] {
    defer { (held, heldBytes) = ([], 0) }
    return held
  }

  /// We can afford a copy, because `pieces` are only a few seconds long.
  private static func bytes(of pieces: [Piece]) -> [UInt8] {
    pieces.reduce(into: []) { bytes, piece in piece.withUnsafeBytes { bytes += $0 } }
  }

  /// Where `head` matches. Nil if there are several such positions, as with silence and periodic
  /// sounds.
  private func offset(of head: ArraySlice<UInt8>, in held: [UInt8]) -> Int? {
    let planned = held.count - warmUpBytes - overlapBytes
    let offsets = (-slackFrames...slackFrames).map { planned + $0 * frameBytes }
    let fits = offsets.filter { offset in
      offset >= 0 && offset + head.count <= held.count
        && held.withUnsafeBytes { held in
          head.withUnsafeBytes { head in
            guard let there = held.baseAddress, let here = head.baseAddress else { return false }
            return memcmp(there + offset, here, head.count) == 0
          }
        }
    }
    return fits.count == 1 ? fits[0] : nil
  }
}
