// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Describes how formants are moved from one input frame of a stretcher on, until the next law
/// applies. Also maps input frames of the stretcher to positions in the input of the chain, where
/// formants are measured.
struct FormantLaw: BitwiseCopyable {
  /// The first input frame of the stretcher to which the law applies.
  var frame: Int64
  /// The position of `frame` in the input of the chain, in frames.
  var position: Double
  /// Input frames of the chain per input frame of the stretcher: 1 / the factor of the scaler
  /// before the stretcher.
  var step: Double
  /// A partial that has frequency f in the input gets the level of the input's envelope at f ×
  /// `ratio`. The ratio is 1 if formants are not moved.
  var ratio: Double
  /// Additional factor of the power, which keeps the loudness when the pitch changes.
  var level: Double

  func position(of other: Int64) -> Double { position + Double(other &- frame) * step }
}

/// The laws of a stream, in order of time.
struct FormantLaws {
  private let laws: UnsafeMutablePointer<FormantLaw>
  private var count = 0

  /// Maximum number of laws. If there are more, the oldest is dropped.
  private static let capacity = 256

  init(_ memory: inout ScratchMemory) { laws = memory.allocate(FormantLaw.self, Self.capacity) }

  /// Appends a law. Drops all other laws that begin at the same frame or later.
  mutating func append(_ law: FormantLaw) {
    while count > 0, laws[count &- 1].frame >= law.frame { count &-= 1 }
    if count == Self.capacity { removeFirst(1) }
    laws[count] = law
    count &+= 1
  }

  /// Drops the laws that only apply before input frame `frame`.
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

  /// The law that applies at `frame`; `nil` before the first law.
  func law(at frame: Int64) -> FormantLaw? {
    var index = count &- 1
    while index >= 0 {
      if laws[index].frame <= frame { return laws[index] }
      index &-= 1
    }
    return nil
  }

  /// Whether no formants are moved at frame `frame` or later.
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
