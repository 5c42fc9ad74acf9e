// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

internal import CTimeDSP
internal import TimeDSPCore

// The output.
extension Playback {
  /// Returns the next frames of the output, and reads what it needs.
  ///
  /// - Parameter read: Returns any amount of audio, beginning at the given frame or before it. At
  ///   the end, returns `nil` or no samples. How inaccurate it may be, you'll find at ``Playback``.
  /// - Returns: At most 1/25 s of interleaved samples, or `nil` at the end.
  /// - Throws: The errors of ``next()``, ``TimeDSPError/badLength``, and the errors of the reader.
  ///   If the reader fails, the next call requests the same frames.
  public mutating func next(
    reading read: (_ frame: Int) throws -> AudioBlock<Sample>?
  ) throws -> [Sample]? {
    while true {
      switch try next() {
      case .play(let samples): return samples
      case .end: return nil
      case .read(let frame):
        if let block = try read(frame) {
          try append(block.samples, at: block.frame)
        } else {
          endOfAudio()
        }
      }
    }
  }

  /// Returns what you do next: read audio, or play samples.
  ///
  /// ```swift
  /// switch try playback.next() {
  /// case .read(let frame):
  ///   if reader.position != frame { try reader.seek(to: frame) }
  ///   let begin = reader.position
  ///   try playback.append(reader.read(), at: begin)
  /// case .play(let samples): output(samples)
  /// case .end: stop()
  /// }
  /// ```
  ///
  /// - Throws: ``TimeDSPError/noMemory``, ``TimeDSPError/seamNotExact``,
  ///   ``TimeDSPError/audioMissing``, ``TimeDSPError/endedEarly(frames:)``,
  ///   ``TimeDSPError/readerStuck(frame:)``. Playback then stops until you call ``seek(to:)``.
  public mutating func next() throws(TimeDSPError) -> PlaybackStep<Sample> {
    while true {
      switch blocks.next() {
      case .wait:
        if useRest() { continue }
        if let step = try ask() { return step }
      case .read(let frame):
        fetches += 1
        rest = nil
        reader.seek(to: Int(clamping: frame))
      case .frames(let frames):
        fetches = 0
        return .play(try samples(of: frames))
      case .end: hasEnded = true
      case .failed(let report, let frames):
        hasEnded = true
        throw error(of: report, frames)
      }
    }
  }

  /// If the reader is stuck near the given length, we take it for the end, and return `nil`.
  private mutating func ask() throws(TimeDSPError) -> PlaybackStep<Sample>? {
    guard !hasEnded, blocks.isFilling else { return .end }
    let frame = reader.request()
    guard reader.isStuck || reader.leavesOut || fetches > maxFetches else {
      return .read(from: frame)
    }
    if reader.isStuck, let frames, frame >= frames - sampleRate / 2 {
      endOfAudio()
      return nil
    }
    hasEnded = true
    if reader.leavesOut { throw .audioMissing }
    throw .readerStuck(frame: frame)
  }

  /// In the order of output.
  private mutating func samples(of frames: BlockPlayer.Frames) throws(TimeDSPError) -> [Sample] {
    let count = frames.count * channels
    var status = TIMEDSP_OK
    let samples = [Sample](unsafeUninitializedCapacity: count) { target, made in
      guard let to = target.baseAddress, let from = frames.samples else { return }
      if frames.isBackward {
        status = timedsp_reverse(
          from, to, frames.count, channels * MemoryLayout<Sample>.stride)
      } else {
        UnsafeMutableRawPointer(to).copyMemory(
          from: from, byteCount: count * MemoryLayout<Sample>.stride)
      }
      made = count
    }
    try check(status)
    heading = frames.isBackward ? .backward : .forward
    playhead = Int(clamping: frames.frame) + (frames.isBackward ? 0 : frames.count)
    return samples
  }

  private func error(of report: TimeBlocksCode, _ frames: Int64) -> TimeDSPError {
    switch report {
    case TIMEBLOCKS_NO_MEMORY: .noMemory
    case TIMEBLOCKS_NOT_EXACT: .seamNotExact
    case TIMEBLOCKS_BROKEN_OFF: .endedEarly(frames: Int(clamping: frames))
    default: .audioMissing
    }
  }
}

// The input.
extension Playback {
  /// If true, you may append audio now, even before ``next()`` requests it. Begin at the frame that
  /// ``next()`` requested, or where the last appended audio ended.
  public var wantsAudio: Bool { reader.isReady && blocks.isFilling }

  /// Audio that came too early may be needed by now.
  @discardableResult
  private mutating func useRest() -> Bool {
    guard let rest, blocks.isFilling else { return false }
    self.rest = nil
    add(rest.samples.span, at: rest.frame)
    return true
  }

  /// Appends requested audio. If there's more than we need, the rest is ignored.
  ///
  /// - Parameters:
  ///   - samples: Interleaved samples of a whole number of frames, or none at the end of the audio.
  ///   - frame: The number of the first frame, −2^53 … 2^53. How far off it may be, you'll find at
  ///     ``Playback``.
  /// - Throws: ``TimeDSPError/badLength``. Nothing is appended then.
  public mutating func append(
    _ samples: Span<Sample>, at frame: Int
  ) throws(TimeDSPError) {
    try require(samples.count.isMultiple(of: channels), else: .badLength)
    try require(Int64(frame).magnitude <= maxFrames.magnitude, else: .badLength)
    useRest()
    guard wantsAudio, !reader.skips(to: frame) else { return }
    if samples.isEmpty { return endOfAudio() }
    guard let known = reader.accept(samples, at: frame) else { return }
    add(samples.extracting((known * channels)...), at: frame + known)
  }

  /// Appends requested audio from an array.
  ///
  /// - Parameters:
  ///   - samples: Interleaved samples of a whole number of frames, or none at the end of the audio.
  ///   - frame: The number of the first frame.
  /// - Throws: ``TimeDSPError/badLength``. Nothing is appended then.
  public mutating func append(_ samples: [Sample], at frame: Int) throws(TimeDSPError) {
    try append(samples.span, at: frame)
  }

  /// Tells us that the audio has ended. If you've appended none since a seek, we may have asked for
  /// a frame after the end. So we ask for an earlier one next.
  public mutating func endOfAudio() {
    useRest()
    if wantsAudio, reader.acceptEnd() { blocks.endOfStream() }
  }

  private mutating func add(_ samples: Span<Sample>, at frame: Int) {
    guard !samples.isEmpty else { return }
    let used = samples.withUnsafeBytes {
      blocks.add($0.baseAddress, frames: samples.count / channels, at: Int64(frame))
    }
    if let used { keepRest(of: samples, at: frame, from: used) }
  }

  /// Keeps the samples from frame index `used` on. They may be needed next.
  private mutating func keepRest(of samples: Span<Sample>, at frame: Int, from used: Int) {
    guard used < samples.count / channels else { return }
    let left = samples.extracting((used * channels)..<samples.count)
    rest = AudioBlock(at: frame + used, left.withUnsafeBufferPointer { Array($0) })
  }
}
