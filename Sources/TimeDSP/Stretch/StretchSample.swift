// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A sample type of the stretcher's input and output. As a `Number`, full scale is ±1.
protocol StretchSample: BitwiseCopyable {
  /// `StretchHistory` stores samples in this type. It represents every sample exactly.
  associatedtype Number: BitwiseCopyable
  var number: Number { get }
  init(held number: Number)
  /// Integers are clipped.
  init(near value: Float)
}

extension Int16: StretchSample {
  typealias Number = Float

  @inline(__always)
  var number: Float { Float(self) * 0x1p-15 }
  @inline(__always)
  init(held number: Float) { self.init(near: number) }
  @inline(__always)
  init(near value: Float) { self.init(nearest: Double(value) * 0x1p15) }
}

extension Int32: StretchSample {
  typealias Number = Double

  @inline(__always)
  var number: Double { Double(self) * 0x1p-31 }
  @inline(__always)
  init(held number: Double) { self.init(nearest: number * 0x1p31) }
  @inline(__always)
  init(near value: Float) { self.init(nearest: Double(value) * 0x1p31) }
}

extension Float: StretchSample {
  typealias Number = Float

  @inline(__always)
  var number: Float { self }
  @inline(__always)
  init(held number: Float) { self = number }
  @inline(__always)
  init(near value: Float) { self = value }
}

extension Double: StretchSample {
  typealias Number = Double

  @inline(__always)
  var number: Double { self }
  @inline(__always)
  init(held number: Double) { self = number }
  @inline(__always)
  init(near value: Float) { self.init(value) }
}
