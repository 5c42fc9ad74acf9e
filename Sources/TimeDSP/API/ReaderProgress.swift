// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Tracks the requests to a reader and the answers. It determines which frames are new, where the
/// stream ends, and whether the reader makes progress. It uses only frame numbers and samples.
///
/// A block counts as idle if it contains no frame beyond the frames reached since the seek. After
/// each useless answer to a seek, the next request goes back twice as far, down to the first frame.
/// The number of reads is therefore bounded.
struct ReaderProgress<Sample: AudioSample> {
  /// The frame that is requested next, or has been requested.
  private(set) var asked = 0
  /// Whether the reader has received the request for `asked`.
  private var isRequested = false
  /// The lowest frame at which the reader has ended without any audio after it.
  private(set) var end: Int?

  private let channels: Int
  /// Limit for rounded frame numbers: 1/32 s, as in the core. Smaller deviations are treated as
  /// rounding.
  private let rounding: Int
  private let second: Int

  /// The frame that is needed after a seek.
  private var target = 0
  /// Number of frames by which a request precedes the needed frame, because the reader was late the
  /// last time.
  private var lead = 0
  /// Number of the frame after the last block since the seek; `nil` before the first block.
  private var next: Int?
  /// The highest end of a block since the seek.
  private var reached = 0
  /// The highest end of any block.
  private var farthest = 0
  /// Number of frames since a block reached a new frame.
  private var idle = 0
  /// Number of consecutive blocks of the reader before which `lead` frames were missing.
  private var lateBlocks = 0
  /// The most recent frames since the seek, for comparison with frames that the reader may repeat
  /// because it rounds frame numbers. No more frames are kept than the reader may repeat.
  private var tail: [Sample] = []
  /// Whether the reader rounds frame numbers. Consecutive blocks then have numbers that are not
  /// consecutive.
  private var isRounded = false

  init(sampleRate: Int, channels: Int) {
    self.channels = channels
    second = sampleRate
    rounding = max(sampleRate / 32, 1)
  }

  /// Whether the reader has returned nothing new for too long. Rounded numbers may decrease and
  /// increase again, each time by less than `rounding`. Therefore, up to twice as many idle frames
  /// prove nothing.
  var isStuck: Bool { idle > 2 * rounding }

  /// Whether the reader is late for each block, because it seeks for each block. Eight consecutive
  /// late blocks cannot be explained by rounding.
  var leavesOut: Bool { lateBlocks >= 8 }

  /// Whether a block may be appended now. After a seek, the reader must know the requested frame
  /// first.
  var isReady: Bool { isRequested || next != nil }

  /// Whether there is a gap before audio at `frame`. The audio in the gap was not requested.
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

  /// Resets the counts of useless blocks. The application has changed something, so the reader gets
  /// another chance.
  mutating func forgive() { (idle, lateBlocks) = (0, 0) }

  private mutating func ask(for frame: Int) {
    asked = max(frame, 0)
    isRequested = false
  }

  /// Makes the next request begin farther before `target`, because the last block was of no use.
  private mutating func lookBack(by frames: Int) {
    lead = min(max(2 * lead, frames), .max / 4)
    ask(for: target - lead)
  }
}

// Answers of the reader.
extension ReaderProgress {
  /// Returns how many frames of a block are already known. Returns `nil` if the block is of no use.
  /// Another frame is then requested.
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

  /// Records that the audio ends after the last block. If there was no block since the seek,
  /// requests a frame before the requested one instead, and returns `false`.
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
    let most = min(rounding, mostSamplesKept / channels) * channels
    let last = samples.extracting(max(samples.count - most, 0)...)
    let surplus = tail.count + last.count - most
    if surplus > 0 { tail.removeFirst(min(surplus, tail.count)) }
    last.withUnsafeBufferPointer { tail.append(contentsOf: $0) }
  }

  /// The number of frames at the beginning of a block that are repetitions. The block begins `back`
  /// frames before the end of the block before it. If rounding could explain the overlap, the
  /// samples are compared, unless the reader is already known to round. In that case, all frames
  /// count as new.
  private mutating func framesKnown(of samples: Span<Sample>, from back: Int) -> Int {
    let known = min(max(back, 0), samples.count / channels)
    if abs(back) >= rounding || back == 0 { return known }
    if !isRounded { isRounded = back < 0 || !repeats(samples, known, from: back) }
    return isRounded ? 0 : known
  }

  /// Whether the first frames of `samples` repeat the frames that arrived `back` frames before
  /// them. `known` is the number of frames to compare. Frames that are no longer stored are not
  /// compared.
  private func repeats(_ samples: Span<Sample>, _ known: Int, from back: Int) -> Bool {
    let first = max(back - tail.count / channels, 0)
    guard first < known else { return true }
    let block = samples.extracting((first * channels)..<(known * channels))
    let begin = tail.count - (back - first) * channels
    return tail.span.extracting(begin..<(begin + block.count)).holdsTheSame(as: block)
  }
}

/// Maximum number of kept samples. It suffices to distinguish rounding from repetition at any rate.
private let mostSamplesKept = 1 << 16

extension Span where Element: BitwiseCopyable {
  /// Compares bytes, as splices do.
  fileprivate func holdsTheSame(as other: Span<Element>) -> Bool {
    withUnsafeBytes { one in other.withUnsafeBytes { one.elementsEqual($0) } }
  }
}
