// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Tracks the requests to a reader and its answers. From the frame numbers and the samples, it
/// determines which frames are new, where the stream ends, and whether the reader makes progress.
///
/// A block is what the reader answers to a request. A block is idle if it contains only frames that
/// have already arrived since the seek. The first block after a seek is useless if it begins after
/// the needed frame. After each useless block, the next request goes back twice as far, down to
/// frame 0, so the number of reads is bounded.
struct ReaderProgress<Sample: AudioSample> {
  /// The frame that has been requested, or will be requested next.
  private(set) var asked = 0
  /// Whether `asked` has been requested from the reader.
  private var isRequested = false
  /// The boundary at which the audio ends: the lowest boundary at which the reader has reported the
  /// end, unless audio after it has arrived; `nil` if it is not known.
  private(set) var end: Int?

  private let channels: Int
  /// Smaller deviations of frame numbers are treated as rounding: 1/32 s, as in `FetchedRun`.
  private let rounding: Int
  private let second: Int

  /// The frame that is needed after a seek.
  private var target = 0
  /// Number of frames by which a request is before the needed frame, because the reader began too
  /// late at earlier seeks.
  private var lead = 0
  /// The frame number after the last block since the seek; `nil` before the first block.
  private var next: Int?
  /// The highest end of a block since the seek.
  private var reached = 0
  /// The highest end of any block.
  private var farthest = 0
  /// Number of frames in the last idle blocks. A block counts as 1/256 s at most.
  private var idle = 0
  /// Number of consecutive blocks that began `lead` frames after the end of the previous block.
  private var lateBlocks = 0
  /// The most recent frames since the seek. If a block begins before the end of the previous block,
  /// these frames show whether the block repeats frames, or only its frame number is rounded.
  private var tail: [Sample] = []
  /// Whether the reader rounds frame numbers, so that a block may be numbered as if it began before
  /// or after the end of the previous block.
  private var isRounded = false

  init(sampleRate: Int, channels: Int) {
    self.channels = channels
    second = sampleRate
    rounding = max(sampleRate / 32, 1)
  }

  /// Whether the reader has returned nothing new for too long. Rounded frame numbers may decrease
  /// and increase again, each time by less than `rounding`, so up to twice as many idle frames are
  /// tolerated.
  var isStuck: Bool { idle > 2 * rounding }

  /// Whether frames are missing before each block, because the reader seeks for each block, and
  /// always begins too late. Eight such blocks in a row are not due to rounding.
  var leavesOut: Bool { lateBlocks >= 8 }

  /// Whether a block may be appended now. After a seek, a frame must have been requested first.
  var isReady: Bool { isRequested || next != nil }

  /// Whether audio at `frame` would leave a gap after the last block, although no seek was
  /// requested.
  func skips(to frame: Int) -> Bool {
    guard let next, !isRequested else { return false }
    return frame - next >= rounding
  }

  /// Returns the frame to request. The reader must seek to this frame unless it is already at it.
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

  /// Resets the counts of idle and late blocks, after a seek or another change by the application.
  mutating func forgive() { (idle, lateBlocks) = (0, 0) }

  private mutating func ask(for frame: Int) {
    asked = max(frame, 0)
    isRequested = false
  }

  /// Makes the next request go back farther before `target`, because the last block was useless.
  private mutating func lookBack(by frames: Int) {
    lead = min(max(2 * lead, frames), .max / 4)
    ask(for: target - lead)
  }
}

// Answers of the reader.
extension ReaderProgress {
  /// Returns how many frames at the beginning of a block are repetitions. Returns `nil` if the
  /// block is useless and a different frame must be requested next.
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

  /// Records that the audio ends after the last block. If there has been no block since the seek,
  /// an earlier frame is requested next, and the result is `false`.
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

  /// The number of frames at the beginning of a block that are repetitions. According to its frame
  /// number, the block begins `back` frames before the end of the previous block. If this may be
  /// due to rounding, the samples are compared. If the reader is known to round, all frames count
  /// as new.
  private mutating func framesKnown(of samples: Span<Sample>, from back: Int) -> Int {
    let known = min(max(back, 0), samples.count / channels)
    if abs(back) >= rounding || back == 0 { return known }
    if !isRounded { isRounded = back < 0 || !repeats(samples, known, from: back) }
    return isRounded ? 0 : known
  }

  /// Whether the first `known` frames of `samples` repeat the frames that begin `back` frames
  /// before the end of `tail`. Frames that are no longer in `tail` are not compared.
  private func repeats(_ samples: Span<Sample>, _ known: Int, from back: Int) -> Bool {
    let first = max(back - tail.count / channels, 0)
    guard first < known else { return true }
    let block = samples.extracting((first * channels)..<(known * channels))
    let begin = tail.count - (back - first) * channels
    return tail.span.extracting(begin..<(begin + block.count)).holdsTheSame(as: block)
  }
}

/// Maximum number of samples in `tail`, enough to distinguish rounding from repetition.
private let maxSamplesKept = 1 << 16

extension Span where Element: BitwiseCopyable {
  /// Whether all bytes are equal, as `RunSearch` compares them.
  fileprivate func holdsTheSame(as other: Span<Element>) -> Bool {
    withUnsafeBytes { one in other.withUnsafeBytes { one.elementsEqual($0) } }
  }
}
