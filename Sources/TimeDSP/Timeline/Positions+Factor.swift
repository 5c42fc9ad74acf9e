// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Positions {
  /// Changes the factor from the next position on; false if it is fixed.
  mutating func setFactor(_ factor: Fraction) -> Bool {
    switch self {
    case .stream(let current): self = .stream(current.changing(to: factor))
    case .ramp(let current): self = .stream(StreamPositions(factor: factor, at: current.place))
    case .endpoints: return false
    }
    return true
  }

  /// Moves the factor to another within `frames` frames of input, at least 1,
  /// from the next position on; false if it is fixed.
  mutating func ramp(to factor: Fraction, within frames: UInt64) -> Bool {
    let (place, speed): (Place, UInt64)
    switch self {
    case .stream(let current): (place, speed) = (current.place, current.ticksPerStep)
    case .ramp(let current): (place, speed) = (current.place, current.speed)
    case .endpoints: return false
    }
    self = .ramp(RampPositions(from: place, speed: speed, to: factor, within: frames))
    return true
  }
}
