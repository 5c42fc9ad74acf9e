// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

/// Consecutive bytes of audio, which can be split without copying.
protocol BytePiece: Sendable {
  var count: Int { get }
  /// At most the first `maxLength` bytes.
  func prefix(_ maxLength: Int) -> Self
  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result
}

/// Joins consecutive regions, in the order of the output. Each region ends with two parts that the
/// next region has, too: the overlap, and then the warm-up (``RegionPlan/warmUpSeconds``). The next
/// region begins with the same overlap. In forward direction, its own warm-up must be skipped.
struct RegionJoin<Piece: BytePiece> {
  let frameBytes: Int
  /// The last pieces of the previous region, kept until the next region arrives.
  private var held: [Piece] = []
  private var heldBytes = 0
  let warmUpBytes: Int
  private let overlapBytes: Int
  private let slackFrames: Int

  /// `slackFrames` is the maximum offset of the overlap from its expected position, in frames.
  init(frameBytes: Int, rate: Int, slackFrames: Int) {
    self.frameBytes = frameBytes
    self.slackFrames = slackFrames
    warmUpBytes = RegionPlan.warmUpSeconds * rate * frameBytes
    overlapBytes = RegionPlan.overlapSeconds * rate * frameBytes
  }

  var comparedBytes: Int { overlapBytes }

  /// Adds a piece of a region, and returns the pieces that are before the overlap and can be sent.
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

  /// Joins the next region, which begins with `lower`. At least ``comparedBytes`` bytes are needed
  /// in `lower`. Returns the rest of the previous region up to the join, or nil unless the two
  /// regions match at exactly one position.
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

  /// The remaining pieces of the last region.
  mutating func finish() -> [Piece] {
    defer { (held, heldBytes) = ([], 0) }
    return held
  }

  /// A copy of the bytes of `pieces`, which last only a few seconds.
  private static func bytes(of pieces: [Piece]) -> [UInt8] {
    pieces.reduce(into: []) { bytes, piece in piece.withUnsafeBytes { bytes += $0 } }
  }

  /// Finds the position at which `head` matches. Silence and periodic sound may match at several
  /// positions.
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
