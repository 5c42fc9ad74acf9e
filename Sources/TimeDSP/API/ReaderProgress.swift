// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Tracks what we request from a reader, and what it answers. From frame numbers and samples we
/// learn which frames are new, where the stream ends, and if the reader makes progress.
///
/// A block is one answer. It's idle if all of its frames have already arrived since the seek. After
/// a seek, the first block is useless if it begins after the needed frame. The next request then
/// goes back twice as far, down to frame 0, so the number of reads is bounded.
struct ReaderProgress<Sample: AudioSample> {
  /// The last requested frame, or the next one to request.
  private(set) var asked = 0
  private var isRequested = false
  /// The lowest boundary at which the reader has reported the end, unless audio after it has
  /// arrived. `nil` if we don't know.
  private(set) var end: Int?

  private let channels: Int
  /// Frame numbers that deviate less are only rounded: 1/32 s, as in `FetchedRun`.
  private let rounding: Int
  private let second: Int

  private var target = 0
  /// If the reader has begun too late, a request is this many frames before the needed frame.
  private var lead = 0
  /// The frame number after the last block since the seek, or `nil` before the first block.
  private var next: Int?
  private var reached = 0
  private var farthest = 0
  /// Frames in the last idle blocks. No block counts more than 1/256 s.
  private var idle = 0
  /// Consecutive blocks that began `lead` frames after the end of the previous block.
  private var lateBlocks = 0
  /// The last frames since the seek. If a block begins before the end of the previous one, they
  /// show which it is: repeated frames, or a rounded number.
  private var tail: [Sample] = []
  /// If the reader rounds frame numbers, a block may seem to begin before or after the end of the
  /// previous one.
  private var isRounded = false

  init(sampleRate: Int, channels: Int) {
    self.channels = channels
    second = sampleRate
    rounding = max(sampleRate / 32, 1)
  }

  /// Rounded frame numbers may go back and forth, each time by less than `rounding`. So we tolerate
  /// twice as many idle frames.
  var isStuck: Bool { idle > 2 * rounding }

  /// If the reader seeks for each block, and always begins too late, frames are missing before each
  /// block. Rounding doesn't explain eight such blocks in a row.
  var leavesOut: Bool { lateBlocks >= 8 }

  /// After a seek, we must have requested a frame first.
  var isReady: Bool { isRequested || next != nil }

  /// Without a seek, audio at `frame` would leave a gap after the last block.
  func skips(to frame: Int) -> Bool {
    guard let next, !isRequested else { return false }
    return frame - next >= rounding
  }

  /// Unless the reader is already at the returned frame, it must seek there.
  mutating func request() -> Int {
    isRequested = true
    return asked
  }

  mutating func seek(to frame: Int) {
    target = frame
    ask(for: frame - lead)
    next = nil
    idle = 0
    tail.removeAll(keepingCapacity: true)
  }

  /// The application's seek or other change is no fault of the reader.
  mutating func forgive() { (idle, lateBlocks) = (0, 0) }

  private mutating func ask(for frame: Int) {
    asked = max(frame, 0)
    isRequested = false
  }

  /// The last block was useless, so we ask farther before `target`.
  private mutating func lookBack(by frames: Int) {
    lead = min(max(2 * lead, frames), .max / 4)
    ask(for: target - lead)
  }
}

// Answers of the reader.
extension ReaderProgress {
  /// Returns how many frames of the block's beginning are repetitions, or `nil` if it's useless and
  /// you must request a different frame.
  mutating func accept(_ samples: Span<Sample>, at frame: Int) -> Int? {
    let count = samples.count / channels
    var known = 0
    if let next {
      lateBlocks = lead > 0 && frame - next == lead ? lateBlocks + 1 : 0
      known = framesKnown(of: samples, from: next - frame)
    } else if frame > target, asked > 0 {
      lookBack(by: frame - asked)
      return nil
    } else {
      (lead, reached) = (max(frame - asked, 0), frame)
    }
    note(samples, count, known, at: frame)
    return known
  }

  /// The audio ends after the last block. If there's been none since the seek, we request an
  /// earlier frame next, and return `false`.
  mutating func acceptEnd() -> Bool {
    if next == nil, asked > 0 {
      lookBack(by: second)
      return false
    }
    let position = next ?? 0
    end = max(min(end ?? position, position), farthest)
    return true
  }

  private func weight(_ count: Int) -> Int { max(min(count, rounding / 8), 1) }

  private mutating func note(_ samples: Span<Sample>, _ count: Int, _ known: Int, at frame: Int) {
    let stop = frame + count
    idle = stop > reached ? 0 : idle + weight(count)
    reached = max(reached, stop)
    farthest = max(farthest, stop)
    if let end, stop > end { self.end = nil }  // the audio continues after that end
    if known < count || next == nil { next = stop }
    ask(for: next ?? stop)
    keep(samples.extracting((known * channels)...))
  }

  private mutating func keep(_ samples: Span<Sample>) {
    let most = min(rounding, maxSamplesKept / channels) * channels
    let last = samples.extracting(max(samples.count - most, 0)...)
    let surplus = tail.count + last.count - most
    if surplus > 0 { tail.removeFirst(min(surplus, tail.count)) }
    last.withUnsafeBufferPointer { tail.append(contentsOf: $0) }
  }

  /// Its frame number puts the block `back` frames before the end of the previous block. That may
  /// be rounding, so we compare the samples. If we know that the reader rounds, all frames count as
  /// new.
  private mutating func framesKnown(of samples: Span<Sample>, from back: Int) -> Int {
    let known = min(max(back, 0), samples.count / channels)
    if abs(back) >= rounding || back == 0 { return known }
    if !isRounded { isRounded = back < 0 || !repeats(samples, known, from: back) }
    return isRounded ? 0 : known
  }

  /// Compares the first `known` frames of `samples` with those `back` frames before the end of
  /// `tail`. We don't compare what `tail` no longer has.
  private func repeats(_ samples: Span<Sample>, _ known: Int, from back: Int) -> Bool {
    let first = max(back - tail.count / channels, 0)
    guard first < known else { return true }
    let block = samples.extracting((first * channels)..<(known * channels))
    let begin = tail.count - (back - first) * channels
    return tail.span.extracting(begin..<(begin + block.count)).holdsTheSame(as: block)
  }
}

/// Enough to tell rounding from repetition.
private let maxSamplesKept = 1 << 16

extension Span where Element: BitwiseCopyable {
  /// Compares bytes, as `RunSearch` does.
  fileprivate func holdsTheSame(as other: Span<Element>) -> Bool {
    withUnsafeBytes { one in other.withUnsafeBytes { one.elementsEqual($0) } }
  }
}
