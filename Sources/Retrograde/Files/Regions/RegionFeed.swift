// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// Thrown if the regions of a file cannot be joined, because the decoder returned different frames
/// for the overlap, or because a region failed. A single pipeline must then process the whole file;
/// if the file is damaged, it throws the error for the user.
struct RegionsDoNotJoin: Error {}

/// Several pipelines that reverse or decode regions of a file, and send their output in order to
/// another pipeline. While one outputs its region, the others decode their next regions. Memory is
/// limited to one region per pipeline, for files of any length.
struct RegionFeed: Sendable {
  let file: AudioFile
  let edit: AudioEdit
  let information: AudioInformation
  let plan: RegionPlan
  /// The element that receives the output, at the beginning of `pipeline`.
  let source: Element
  let pipeline: Pipeline

  /// Reads all regions; throws ``RegionsDoNotJoin`` or `CancellationError`.
  func run() async throws {
    do {
      try await readAll()
    } catch is RetrogradeError {
      throw RegionsDoNotJoin()
    }
  }

  private func readAll() async throws {
    var readers = try await startReaders()
    var state = FeedState(information, edit, plan.direction)
    do {
      for index in plan.regions.indices {
        guard let reader = readers[index] else { continue }
        guard try await push(index, reader, &state) else { break }
        readers[index] = nil
        let next = index + plan.decoders
        if plan.isInner(index), plan.isInner(next) {
          readers[next] = reader
          try await reader.go(to: plan.regions[next])
        } else {
          try await reader.finish()
        }
      }
    } catch {
      for reader in readers.values { await reader.abandon() }
      throw error
    }
    for reader in readers.values { await reader.abandon() }
    cgst_feed_end(source.pointer)
  }

  /// Starts the readers of the first regions; the keys are indices into the plan.
  private func startReaders() async throws -> [Int: SampleReader<UInt8>] {
    let inner = plan.regions.indices.filter(plan.isInner).prefix(plan.decoders)
    let edges = plan.regions.indices.filter { !plan.isInner($0) }
    return try await withThrowingTaskGroup(of: (Int, SampleReader<UInt8>).self) { group in
      for index in inner + edges {
        group.addTask {
          let isWhole = plan.isInner(index)
          let reader = try await SampleReader<UInt8>.start(
            file, through: edit.channelElements(of: information) + reversal(isWhole: isWhole),
            format: information.sampleFormat,
            region: isForward && !isWhole ? nil : plan.regions[index], isWhole: isWhole,
            isHeld: isForward && isWhole)
          return (index, reader)
        }
      }
      var readers: [Int: SampleReader<UInt8>] = [:]
      for try await (index, reader) in group { readers[index] = reader }
      return readers
    }
  }

  private var isForward: Bool { plan.direction == .forward }

  private func reversal(isWhole: Bool) -> [String] {
    switch plan.direction {
    case .forward: []
    case .reverse: [isWhole ? AudioEdit.wholeReversal : edit.reversal(of: information)]
    }
  }

  /// Sends one region. Returns false if the pipeline no longer accepts buffers.
  private func push(
    _ index: Int, _ reader: SampleReader<UInt8>, _ state: inout FeedState
  ) async throws -> Bool {
    let (before, isLast) = (state, index + 1 == plan.regions.count)
    let stop = isForward && index == 0 ? plan.regions[index].stop : nil
    let (outcome, after) = await blocking {
      var state = before
      let outcome = state.push(
        reader, isFirst: index == 0, isLast: isLast, upTo: stop, to: source)
      return (outcome, state)
    } cancel: {
      await reader.stop()
      await pipeline.stop()
    }
    state = after
    if outcome == .isStopped { return false }
    // the region may have ended early because of an error
    try await reader.checkEnd()
    guard outcome == .isRead, !reader.hasFaded else {
      await reader.abandon()
      throw RegionsDoNotJoin()
    }
    return true
  }
}

/// State of the output of all regions.
private struct FeedState {
  enum Outcome {
    case isRead
    /// The first region has no samples, or a later region does not match the end of the previous
    /// one.
    case isOdd
    /// The pipeline no longer accepts buffers.
    case isStopped
  }

  private let duration: Duration
  private let direction: AudioEdit.Direction
  private let bytesPerSecond: Int
  private var join: RegionJoin<BufferPiece>
  private var sent: SentFrames

  init(_ information: AudioInformation, _ edit: AudioEdit, _ direction: AudioEdit.Direction) {
    self.direction = direction
    let frameBytes = edit.frameBytes(of: information)
    bytesPerSecond = information.rate * frameBytes
    duration = information.duration(of: edit.region)
    join = RegionJoin(
      frameBytes: frameBytes, rate: information.rate, slackFrames: information.regionSlackFrames)
    sent = SentFrames(frameBytes: frameBytes, rate: information.rate, direction)
  }

  /// Sends one region, except for the frames that are compared with the next region. `stop` is the
  /// end of the region, if the reader does not stop there itself.
  mutating func push(
    _ reader: SampleReader<UInt8>, isFirst: Bool, isLast: Bool, upTo stop: Duration?,
    to source: Element
  ) -> Outcome {
    var left = stop.map { Int(saturating: $0.inSeconds * Double(bytesPerSecond)) } ?? .max
    let begun = isFirst || direction == .reverse ? [] : reader.skip(bytes: join.warmUpBytes)
    let head = begun + reader.nextPieces(ofBytes: isFirst ? 1 : join.comparedBytes)
    if isFirst {
      guard reader.describe(to: source, duration: duration) else { return .isOdd }
    } else {
      guard let rest = join.join(head) else { return .isOdd }
      guard sent.send(rest, to: source) else { return .isStopped }
    }
    var pieces = head.makeIterator()
    while left > 0, let piece = (pieces.next() ?? reader.nextPiece())?.prefix(left) {
      left -= piece.count
      guard sent.send(join.add(piece), to: source) else { return .isStopped }
    }
    guard isLast else { return .isRead }
    return sent.send(join.finish(), to: source) && sent.finish(to: source) ? .isRead : .isStopped
  }
}

/// Sends frames, with timestamps computed from the number of frames sent before.
private struct SentFrames {
  let frameBytes: Int
  let rate: Int
  private var frames = 0
  /// Minimum size of a buffer that is sent, except for the last one.
  private let leastBytes: Int
  private var waiting: [BufferPiece] = []
  private var waitingBytes = 0

  /// In forward direction, collects frames into buffers of 0.4 s: decoders output buffers of 20 to
  /// 40 ms, `timescale` splits each buffer into four, and every buffer costs time in each element
  /// after it. The larger buffers reduce this cost to a tenth.
  init(frameBytes: Int, rate: Int, _ direction: AudioEdit.Direction) {
    (self.frameBytes, self.rate) = (frameBytes, rate)
    leastBytes = direction == .reverse ? 0 : rate * frameBytes * 2 / 5
  }

  /// Adds `pieces`, and sends a buffer whenever enough have been added. Returns false if the
  /// pipeline no longer accepts buffers.
  mutating func send(_ pieces: [BufferPiece], to source: Element) -> Bool {
    pieces.allSatisfy { piece in
      waiting.append(piece)
      waitingBytes += piece.count
      return waitingBytes < leastBytes || sendWaiting(to: source)
    }
  }

  /// Sends the remaining frames.
  mutating func finish(to source: Element) -> Bool { waiting.isEmpty || sendWaiting(to: source) }

  private mutating func sendWaiting(to source: Element) -> Bool {
    guard let piece = BufferPiece.joined(waiting) else { return false }
    (waiting, waitingBytes) = ([], 0)
    let start = time
    frames += piece.count / max(frameBytes, 1)
    return cgst_feed(
      source.pointer, piece.buffer.pointer, gsize(clamping: piece.count),
      GstClockTime(clamping: start), GstClockTime(clamping: time - start)) != 0
  }

  /// Time of the next frame, in ns.
  private var time: Int {
    let rate = max(rate, 1)
    return frames / rate * 1_000_000_000 + frames % rate * 1_000_000_000 / rate
  }
}
