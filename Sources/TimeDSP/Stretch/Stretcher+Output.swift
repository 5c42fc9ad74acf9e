// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

extension Stretcher {
  mutating func emit(to sink: inout FrameSink) {
    let end = min(finished, made &+ Int64(truncatingIfNeeded: sink.room))
    if made < 0 { made = min(0, end) }
    if end > made, made < unmodifiedFrom {
      emit(upTo: min(end, unmodifiedFrom), isUnmodified: false, &sink)
    }
    if end > made { emit(upTo: end, isUnmodified: true, &sink) }
  }

  /// All frames before `end` are the unmodified input, or all are overlap-added.
  private mutating func emit(upTo end: Int64, isUnmodified: Bool, _ sink: inout FrameSink) {
    let count = Int(truncatingIfNeeded: end &- made)
    guard count > 0, let planes = sink.planes else { return }
    for channel in upTo(shape.channels) {
      if let plane = planes[shape.plane(of: channel)] {
        let target = plane + sink.made &* shape.frameBytes
        write(channel, count, isUnmodified: isUnmodified, to: target)
      }
    }
    sink.made &+= count
    made = end
  }

  private func write(
    _ channel: Int, _ count: Int, isUnmodified: Bool, to target: UnsafeMutableRawPointer
  ) {
    let position = made &+ (last.position &- last.centre)
    let wide = isUnmodified ? history.wide(channel, position, count) : nil
    let narrow = isUnmodified ? history.narrow(channel, position, count) : nil
    switch shape.format {
    case TIMEDSP_S16: write(Int16.self, channel, count, narrow, to: target)
    case TIMEDSP_F32: write(Float.self, channel, count, narrow, to: target)
    case TIMEDSP_S32: write(Int32.self, channel, count, wide, to: target)
    default: write(Double.self, channel, count, wide, to: target)
    }
  }

  /// For one channel. Without `numbers`, it's the overlap-added output.
  private func write<Value: StretchSample>(
    _ type: Value.Type, _ channel: Int, _ count: Int,
    _ numbers: UnsafeMutablePointer<Value.Number>?, to target: UnsafeMutableRawPointer
  ) {
    let samples = target.assumingMemoryBound(to: type) + shape.sampleOffset(of: channel)
    let stride = shape.samplesPerFrame
    var frame = 0
    if let numbers {
      while frame < count {
        samples[frame &* stride] = Value(held: numbers[frame])
        frame &+= 1
      }
    } else {
      while frame < count {
        let value = output.value(channel, made &+ Int64(truncatingIfNeeded: frame))
        samples[frame &* stride] = Value(near: value)
        frame &+= 1
      }
    }
  }
}
