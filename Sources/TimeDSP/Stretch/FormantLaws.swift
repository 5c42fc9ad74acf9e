// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Positions of a stretcher's frames in the input of its chain, and the factor by which formants
/// are moved there.
struct FormantLaw: BitwiseCopyable {
  /// The first frame of the stretcher's input, and its position in the chain's.
  var frame: Int64
  var place: Double
  /// Frames of the chain's input from one frame of the stretcher's to the next: 1 / the factor
  /// of the scaler between them.
  var step: Double
  /// The factor from an output frequency to the frequency of the envelope that belongs there: 1 if
  /// formants need no change.
  var ratio: Double
  /// A further factor of the power: sound that is as dense as in the input has to be as loud.
  var level: Double

  func place(of other: Int64) -> Double { place + Double(other &- frame) * step }
}

/// The laws of a stream, one after the other.
struct FormantLaws {
  private let laws: UnsafeMutablePointer<FormantLaw>
  private var count = 0

  /// More changes than can lie within the lookahead; beyond that the oldest is dropped.
  private static let capacity = 256

  init(_ memory: inout ScratchMemory) { laws = memory.allocate(FormantLaw.self, Self.capacity) }

  /// `law` holds from its frame on, which is not before that of any other.
  mutating func append(_ law: FormantLaw) {
    while count > 0, laws[count &- 1].frame >= law.frame { count &-= 1 }
    if count == Self.capacity { removeFirst(1) }
    laws[count] = law
    count &+= 1
  }

  /// Drops the laws that hold only before frame `frame`.
  mutating func forget(before frame: Int64) {
    var gone = 0
    while gone &+ 1 < count, laws[gone &+ 1].frame <= frame { gone &+= 1 }
    if gone > 0 { removeFirst(gone) }
  }

  private mutating func removeFirst(_ gone: Int) {
    var index = gone
    while index < count {
      laws[index &- gone] = laws[index]
      index &+= 1
    }
    count &-= gone
  }

  /// The law at frame `frame`; none before the first.
  func law(at frame: Int64) -> FormantLaw? {
    var index = count &- 1
    while index >= 0 {
      if laws[index].frame <= frame { return laws[index] }
      index &-= 1
    }
    return nil
  }

  /// Whether nothing is moved from frame `frame` on.
  func isDone(from frame: Int64) -> Bool {
    var index = count &- 1
    while index >= 0 {
      if laws[index].ratio != 1 { return false }
      if laws[index].frame <= frame { return true }
      index &-= 1
    }
    return true
  }
}
