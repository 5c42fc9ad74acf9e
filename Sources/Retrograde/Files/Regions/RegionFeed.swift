// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// Regions of a file cannot be joined: its decoder does not return the same frames twice, or one of
/// them failed. One pipeline then does the whole file, or reports the fault.
struct RegionsDoNotJoin: Error {}

/// Several pipelines that reverse regions of a file, and output them in order. They alternate:
/// while one outputs its region, the others decode their next ones. So memory is one region for
/// each, however long the file is.
struct RegionFeed: Sendable {
  let file: AudioFile
  let edit: AudioEdit
  let information: AudioInformation
  let plan: RegionPlan
  /// Receives the output; the first element of `pipeline`.
  let source: Element
  let pipeline: Pipeline

  /// Reads all regions; throws ``RegionsDoNotJoin``, and `CancellationError`.
  func run() async throws {
    do {
      try await readAll()
    } catch is RetrogradeError {
      throw RegionsDoNotJoin()
    }
  }

  private func readAll() async throws {
    var readers = try await startReaders()
    var state = FeedState(information, edit)
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

  /// Starts the readers of the first regions, by their index in the plan.
  private func startReaders() async throws -> [Int: SampleReader<UInt8>] {
    let inner = plan.regions.indices.filter(plan.isInner).prefix(plan.decoders)
    let edges = plan.regions.indices.filter { !plan.isInner($0) }
    return try await withThrowingTaskGroup(of: (Int, SampleReader<UInt8>).self) { group in
      for index in inner + edges {
        group.addTask {
          let isWhole = plan.isInner(index)
          let reversal = isWhole ? AudioEdit.wholeReversal : edit.reversal(of: information)
          let reader = try await SampleReader<UInt8>.start(
            file, through: edit.channelElements(of: information) + [reversal],
            format: information.sampleFormat, region: plan.regions[index], isWhole: isWhole)
          return (index, reader)
        }
      }
      var readers: [Int: SampleReader<UInt8>] = [:]
      for try await (index, reader) in group { readers[index] = reader }
      return readers
    }
  }

  /// FALSE once the pipeline does not accept buffers any more.
  private func push(
    _ index: Int, _ reader: SampleReader<UInt8>, _ state: inout FeedState
  ) async throws -> Bool {
    let (before, isLast) = (state, index + 1 == plan.regions.count)
    let (outcome, after) = await blocking {
      var state = before
      return (state.push(reader, isFirst: index == 0, isLast: isLast, to: source), state)
    } cancel: {
      await reader.stop()
      await pipeline.stop()
    }
    state = after
    if outcome == .isStopped { return false }
    // a fault of the file ended the region early
    try await reader.checkEnd()
    guard outcome == .isRead, !reader.hasFaded else {
      await reader.abandon()
      throw RegionsDoNotJoin()
    }
    return true
  }
}

/// Progress of the output of regions.
private struct FeedState {
  enum Outcome {
    case isRead
    /// It does not fit below the one before.
    case isOdd
    /// The pipeline does not accept buffers any more.
    case isStopped
  }

  private let duration: Duration
  private var join: RegionJoin<BufferPiece>
  private var sent: SentFrames

  init(_ information: AudioInformation, _ edit: AudioEdit) {
    let frameBytes = edit.frameBytes(of: information)
    duration = information.duration(of: edit.region)
    join = RegionJoin(
      frameBytes: frameBytes, rate: information.rate, slackFrames: information.regionSlackFrames)
    sent = SentFrames(frameBytes: frameBytes, rate: information.rate)
  }

  /// Sends one region, up to the frames that the next one is compared with.
  mutating func push(
    _ reader: SampleReader<UInt8>, isFirst: Bool, isLast: Bool, to source: Element
  ) -> Outcome {
    let head = reader.nextPieces(ofBytes: isFirst ? 1 : join.comparedBytes)
    if isFirst {
      guard reader.describe(to: source, duration: duration) else { return .isOdd }
    } else {
      guard let rest = join.join(head) else { return .isOdd }
      guard sent.send(rest, to: source) else { return .isStopped }
    }
    var pieces = head.makeIterator()
    while let piece = pieces.next() ?? reader.nextPiece() {
      guard sent.send(join.add(piece), to: source) else { return .isStopped }
    }
    guard isLast else { return .isRead }
    return sent.send(join.finish(), to: source) ? .isRead : .isStopped
  }
}

/// Frames that were output, each with its time.
private struct SentFrames {
  let frameBytes: Int
  let rate: Int
  private var frames = 0

  init(frameBytes: Int, rate: Int) { (self.frameBytes, self.rate) = (frameBytes, rate) }

  /// FALSE if the pipeline does not accept them any more.
  mutating func send(_ pieces: [BufferPiece], to source: Element) -> Bool {
    pieces.allSatisfy { piece in
      let start = time
      frames += piece.count / max(frameBytes, 1)
      return cgst_feed(
        source.pointer, piece.buffer.pointer, gsize(clamping: piece.count),
        GstClockTime(clamping: start), GstClockTime(clamping: time - start)) != 0
    }
  }

  /// Time of the next frame, in ns.
  private var time: Int {
    let rate = max(rate, 1)
    return frames / rate * 1_000_000_000 + frames % rate * 1_000_000_000 / rate
  }
}
