// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

// The one place where samples are computed. The generic code below is compiled
// anew for each sample type, interpolant, and for one, two or more channels.

extension ReadPoints {
  /// Computes `count` frames of one plane.
  ///
  /// `source` is the plane that the offsets count from; frames of `shape` in
  /// both planes. Every frame that the interpolation looks at has to be there.
  func interpolate(
    _ count: Int, _ interpolation: TimeDSPInterpolation, _ shape: AudioShape,
    from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer
  ) {
    switch shape.format {
    case TIMEDSP_S16: interpolate(Int16.self, count, interpolation, shape, source, target)
    case TIMEDSP_S32: interpolate(Int32.self, count, interpolation, shape, source, target)
    case TIMEDSP_F32: interpolate(Float.self, count, interpolation, shape, source, target)
    default: interpolate(Double.self, count, interpolation, shape, source, target)
    }
  }

  @inline(__always)
  private func interpolate<S: Sample>(
    _: S.Type, _ count: Int, _ interpolation: TimeDSPInterpolation, _ shape: AudioShape,
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
  ) {
    let source = source.assumingMemoryBound(to: S.self)
    let target = target.assumingMemoryBound(to: S.self)
    let channels = shape.samplesPerFrame
    // The points of the other interpolations are made to suit a straight line.
    if interpolation == TIMEDSP_CUBIC {
      interpolate(CubicInterpolant.self, count, channels, source, target)
    } else {
      interpolate(LinearInterpolant.self, count, channels, source, target)
    }
  }

  @inline(__always)
  private func interpolate<S: Sample, I: Interpolant>(
    _ interpolant: I.Type, _ count: Int, _ channels: Int,
    _ source: UnsafePointer<S>, _ target: UnsafeMutablePointer<S>
  ) {
    switch channels {
    case 1: interpolateFrames(interpolant, count, 1, source, target)
    case 2: interpolateFrames(interpolant, count, 2, source, target)
    default: interpolateFrames(interpolant, count, channels, source, target)
    }
  }

  @inline(__always)
  private func interpolateFrames<S: Sample, I: Interpolant>(
    _: I.Type, _ count: Int, _ channels: Int,
    _ source: UnsafePointer<S>, _ target: UnsafeMutablePointer<S>
  ) {
    var output = target
    var point = 0
    while point < count {
      let frame = source + offsets[point] &* channels
      let weight = weights[point]
      var channel = 0
      // A frame that is met exactly is copied, so that its bits survive even
      // where arithmetic would change them: NaN, infinity, -0.
      if weight == 0 {
        while channel < channels {
          output[channel] = frame[channel]
          channel &+= 1
        }
      } else {
        while channel < channels {
          output[channel] = S(nearest: I.value(frame + channel, channels, at: weight))
          channel &+= 1
        }
      }
      output += channels
      point &+= 1
    }
  }
}
