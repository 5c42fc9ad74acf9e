// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CTimeDSP

@testable import TimeDSPCore

/// Plays the mono sound of an `OddReader`, and can stop where it waits for audio.
struct TestPlayback: ~Copyable {
  struct Failed: Error {}

  enum Step {
    case play([Float])
    case wait
    case end
  }

  private let reader: OddReader
  private var blocks: BlockPlayer
  /// The frame to read next.
  private var asked = 0
  /// Audio that the last decode didn't need.
  private var rest: (frame: Int, samples: ArraySlice<Float>)?
  private var heading = TIMEDSP_FORWARD
  private(set) var hasEnded = false

  init(_ reader: OddReader, longestBlock: Int64) throws(TimeDSPStatus) {
    self.reader = reader
    var format = TimeBlocksFormat()
    (format.rate, format.channels, format.planes) = (8_000, 1, 1)
    (format.sample_bytes, format.stride_bytes) = (4, 4)
    let settings = TimeBlocksSettings(
      max_block_frames: longestBlock, preroll_frames: -1, max_memory_bytes: 64 << 20, is_exact: 0,
      loop: TIMEDSP_LOOP_NONE, loop_start_frame: 0, loop_stop_frame: -1)
    blocks = try BlockPlayer(
      format, length: Int64(reader.audio.count), TIMEDSP_FORWARD, settings
    ) { _, toNumbers, samples, _, numbers, frames in
      guard let samples = samples?.assumingMemoryBound(to: Float.self), let numbers else { return }
      for index in 0..<frames {
        if toNumbers != 0 {
          numbers[index] = Double(samples[index])
        } else {
          samples[index] = Float(numbers[index])
        }
      }
    }
  }

  /// After the end, playback continues from there.
  mutating func turn(_ isForward: Bool) {
    heading = isForward ? TIMEDSP_FORWARD : TIMEDSP_BACKWARD
    blocks.setDirection(heading)
    if hasEnded { blocks.resume(heading) }
    hasEnded = false
  }

  mutating func seek(to boundary: Int, _ isForward: Bool) {
    turn(isForward)
    blocks.seek(to: Int64(boundary), heading)
    hasEnded = false
  }

  mutating func setLoop(_ loop: TimeDSPLoop, _ frames: Range<Int64>) {
    blocks.loop = (loop, frames.lowerBound, frames.upperBound)
  }

  /// The next output. With `reads`, it reads what it needs. Otherwise, it waits there.
  mutating func next(reads: Bool) throws -> Step {
    while true {
      switch blocks.next() {
      case .wait:
        if hasEnded { return .end }
        // It would wait for ever.
        guard blocks.isFilling else { throw Failed() }
        if let rest {
          self.rest = nil
          add(rest.samples, at: rest.frame)
        } else if reads {
          read()
        } else {
          return .wait
        }
      case .read(let frame):
        (rest, asked) = (nil, Int(frame))
      case .frames(let frames):
        let from = UnsafeBufferPointer(
          start: frames.samples?.assumingMemoryBound(to: Float.self), count: frames.count)
        heading = frames.isBackward ? TIMEDSP_BACKWARD : TIMEDSP_FORWARD
        return .play(frames.isBackward ? from.reversed() : Array(from))
      case .end: hasEnded = true
      case .failed: throw Failed()
      }
    }
  }

  mutating func read() {
    let block = reader.block(asked)
    if block.samples.isEmpty { return blocks.endOfStream() }
    asked = block.frame + block.samples.count
    add(block.samples[...], at: block.frame)
  }

  private mutating func add(_ samples: ArraySlice<Float>, at frame: Int) {
    let used = samples.withUnsafeBytes {
      blocks.add($0.baseAddress, frames: samples.count, at: Int64(frame))
    }
    guard let used, used < samples.count else { return }
    rest = (frame + used, samples.dropFirst(used))
  }
}
