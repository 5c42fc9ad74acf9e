// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Tracks the requests to a reader and its answers: which frames are new, where the stream ends,
/// and whether the reader makes progress. It decides only from frame numbers and samples.
///
/// A block that contains no frame beyond those already reached since the seek counts as idle. After
/// each answer to a seek that is of no use, the next request goes back twice as far, down to frame
/// 0. The number of reads is therefore bounded.
struct ReaderProgress<Sample: AudioSample> {
  /// The frame that is requested next, or has been requested.
  private(set) var asked = 0
  /// Whether the reader has received the request for `asked`.
  private var isRequested = false
  /// The lowest frame at which the reader has ended without any audio after it.
  private(set) var end: Int?

  private let channels: Int
  /// Deviations of frame numbers below this are treated as rounding: 1/32 s, as in the core.
  private let rounding: Int
  private let second: Int

  /// The frame that is needed after a seek.
  private var target = 0
  /// How many frames before the needed one is requested: as many as the reader was late the last
  /// time.
  private var lead = 0
  /// Number of the frame after the last block since the seek; `nil` before the first block.
  private var next: Int?
  /// The highest end of a block, since the seek and in total.
  private var reached = 0
  private var farthest = 0
  /// Number of frames since a block reached a new frame.
  private var idle = 0
  /// Number of consecutive blocks before which the reader has skipped `lead` frames.
  private var lateBlocks = 0
  /// The most recent frames since the seek: at most as many as the reader may deliver twice because
  /// it rounds frame numbers.
  private var tail: [Sample] = []
  /// Whether the reader rounds frame numbers: consecutive blocks have had numbers that are not
  /// consecutive.
  private var isRounded = false

  init(sampleRate: Int, channels: Int) {
    self.channels = channels
    second = sampleRate
    rounding = max(sampleRate / 32, 1)
  }

  /// Whether the reader has returned nothing new for too long. If numbers are rounded, they may go
  /// down and up again by less than `rounding` each, so that fewer idle frames prove nothing.
  var isStuck: Bool { idle > 2 * rounding }

  /// Whether the reader is late for each block, which means that it seeks for each. Eight
  /// consecutive blocks cannot be explained by rounding.
  var leavesOut: Bool { lateBlocks >= 8 }

  /// Whether a block may be appended now: after a seek, only once the reader knows its first frame.
  var isReady: Bool { isRequested || next != nil }

  /// Whether there is a gap before audio at `frame`, because the audio in the gap was not
  /// requested.
  func skips(to frame: Int) -> Bool {
    guard let next, !isRequested else { return false }
    return frame - next >= rounding
  }

  /// The frame to which the reader must seek, or at which it continues.
  mutating func request() -> Int {
    isRequested = true
    return asked
  }

  /// Requests audio that begins at `frame` or earlier.
  mutating func seek(to frame: Int) {
    target = frame
    ask(for: frame - lead)
    next = nil
    idle = 0
    tail.removeAll(keepingCapacity: true)
  }

  /// Resets the counts of useless blocks: the application has changed something, so the reader gets
  /// another chance.
  mutating func forgive() { (idle, lateBlocks) = (0, 0) }

  private mutating func ask(for frame: Int) {
    asked = max(frame, 0)
    isRequested = false
  }

  /// Makes the next request go back farther, because the block was of no use.
  private mutating func lookBack(by frames: Int) {
    lead = min(max(2 * lead, frames), .max / 4)
    ask(for: target - lead)
  }
}

// Answers of the reader.
extension ReaderProgress {
  /// Returns how many frames of a block are known already; `nil` if the block is of no use, and
  /// another frame is requested.
  mutating func take(_ samples: Span<Sample>, at frame: Int) -> Int? {
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

  /// Records that the audio ends after the last block; returns `false` if an earlier frame is
  /// requested instead, because there was no block since the seek.
  mutating func takeEnd() -> Bool {
    if next == nil, asked > 0 {
      lookBack(by: second)
      return false
    }
    let place = next ?? 0
    end = max(min(end ?? place, place), farthest)
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
    let most = min(rounding, mostSamplesKept / channels) * channels
    let last = samples.extracting(max(samples.count - most, 0)...)
    let surplus = tail.count + last.count - most
    if surplus > 0 { tail.removeFirst(min(surplus, tail.count)) }
    last.withUnsafeBufferPointer { tail.append(contentsOf: $0) }
  }

  /// How many frames at the beginning of a block are repetitions; the block begins `back` frames
  /// before the end of the last one. If the overlap is small enough for rounding, the samples
  /// decide, unless the numbers are known to be rounded.
  private mutating func framesKnown(of samples: Span<Sample>, from back: Int) -> Int {
    let known = min(max(back, 0), samples.count / channels)
    if abs(back) >= rounding || back == 0 { return known }
    if !isRounded { isRounded = back < 0 || !repeats(samples, known, from: back) }
    return isRounded ? 0 : known
  }

  /// Whether `known` frames equal those from `back` frames ago, as far as these are kept.
  private func repeats(_ samples: Span<Sample>, _ known: Int, from back: Int) -> Bool {
    let first = max(back - tail.count / channels, 0)
    guard first < known else { return true }
    let block = samples.extracting((first * channels)..<(known * channels))
    let begin = tail.count - (back - first) * channels
    return tail.span.extracting(begin..<(begin + block.count)).holdsTheSame(as: block)
  }
}

/// Enough to distinguish rounding from repetition at any rate.
private let mostSamplesKept = 1 << 16

extension Span where Element: BitwiseCopyable {
  /// Compares bytes, as splices do.
  fileprivate func holdsTheSame(as other: Span<Element>) -> Bool {
    withUnsafeBytes { one in other.withUnsafeBytes { one.elementsEqual($0) } }
  }
}
