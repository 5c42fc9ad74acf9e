// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Positions {
  /// Changes the factor from the next position on. Returns `false` if the factor is fixed.
  mutating func setFactor(_ factor: Fraction) -> Bool {
    switch self {
    case .stream(let current): self = .stream(current.changing(to: factor))
    case .ramp(let current): self = .stream(StreamPositions(factor: factor, at: current.position))
    case .endpoints: return false
    }
    return true
  }

  /// Changes the factor gradually to `factor`, from the next position on. The change covers
  /// `frames` input frames, at least 1. Returns `false` if the factor is fixed.
  mutating func ramp(to factor: Fraction, within frames: UInt64) -> Bool {
    guard let (position, speed) = next else { return false }
    self = .ramp(RampPositions(from: position, speed: speed, to: factor, within: frames))
    return true
  }

  /// Changes the factor gradually to 1 over `steps` output frames, at least 1. The output frame
  /// after these is exactly input frame `frame`. Returns `false` if the factor is fixed.
  mutating func land(on frame: Int64, after steps: UInt64) -> Bool {
    guard let (position, speed) = next else { return false }
    self = .ramp(
      RampPositions(from: position, speed: speed, landingOn: frame, after: steps))
    return true
  }

  /// The next position, and the speed there in ticks per output frame; `nil` if the factor is
  /// fixed.
  private var next: (TickPosition, UInt64)? {
    switch self {
    case .stream(let current): (current.position, current.ticksPerStep)
    case .ramp(let current): (current.position, current.speed)
    case .endpoints: nil
    }
  }
}
