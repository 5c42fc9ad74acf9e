// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// We can't join the regions of a file, because the decoder returned different frames for the
/// overlap, or because a region failed. We then have to process the whole file in a single
/// pipeline. If the file is damaged, that pipeline throws an error that explains the damage.
struct RegionsDoNotJoin: Error {}

/// Several pipelines that reverse or decode regions of a file and send their output to another
/// pipeline in order. While one outputs its region, the others decode their next ones. We only keep
/// one region per pipeline in memory, however long the file is.
struct RegionFeed: Sendable {
  let file: AudioFile
  let edit: AudioEdit
  let information: AudioInformation
  let plan: RegionPlan
  /// Scales the output before `pipeline` receives it, in several branches.
  let scaler: SliceScaler?
  let target: Element
  let pipeline: Pipeline

  /// Builds the pipeline that receives the regions, which ends with the elements `tail`. If `edit`
  /// scales and there's no `scaler`, this pipeline does the scaling.
  init(
    _ file: AudioFile, _ edit: AudioEdit, _ information: AudioInformation, _ plan: RegionPlan,
    tail: String
  ) throws(RetrogradeError) {
    (self.file, self.edit, self.information, self.plan) = (file, edit, information, plan)
    let slices = edit.slices(of: information, branches: plan.decoders)
    let scaling = slices == nil ? edit.scaling(of: information) : []
    // with a queue, scaling and encoding, which take about as long, run in separate threads
    let hop = scaling.isEmpty ? [] : ["queue"]
    let parts = ["appsrc name=feed format=time"] + scaling + hop + [tail]
    pipeline = try Pipeline(parts.joined(separator: " ! "))
    let target = try pipeline.known("feed")
    self.target = target
    scaler = try slices.map { slices throws(RetrogradeError) in
      try SliceScaler(slices, edit, information, into: target)
    }
  }

  /// Reads all regions. Throws ``RegionsDoNotJoin`` or `CancellationError`.
  func run() async throws {
    await scaler?.start()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await readAll() }
        group.addTask { try await scaler?.run(of: file) }
        while try await group.next() != nil {}
      }
    } catch is RetrogradeError {
      throw RegionsDoNotJoin()
    }
  }

  fileprivate var sources: [Element] { scaler?.sources ?? [target] }

  private func readAll() async throws {
    var readers = try await startReaders()
    var state = FeedState(self)
    let outcome = await result(of: {
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
    })
    for reader in readers.values { await reader.abandon() }
    try outcome.get()
    for source in sources { source.sendEnd() }
  }

  /// The keys are indices into the plan.
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
      let outcome = state.push(reader, isFirst: index == 0, isLast: isLast, upTo: stop)
      return (outcome, state)
    } cancel: {
      await reader.stop()
      await scaler?.stop()
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

private struct FeedState {
  enum Outcome {
    case isRead
    /// The first region has no samples, or a later region doesn't match the end of the previous
    /// one.
    case isOdd
    /// The pipeline no longer accepts buffers.
    case isStopped
  }

  private let duration: Duration
  private let direction: Direction
  private let bytesPerSecond: Int
  private let sources: [Element]
  private var join: RegionJoin<BufferPiece>
  private var output: FeedOutput

  init(_ feed: RegionFeed) {
    direction = feed.plan.direction
    sources = feed.sources
    let (rate, frameBytes) = (feed.information.rate, feed.edit.frameBytes(of: feed.information))
    bytesPerSecond = rate * frameBytes
    duration = feed.information.duration(of: feed.edit.region)
    join = RegionJoin(
      frameBytes: frameBytes, rate: rate, slackFrames: feed.information.regionSlackFrames)
    // Going forwards, we collect frames into larger buffers. Decoders output 20 to 40 ms at a time,
    // `timescale` splits each buffer into four, and every buffer costs time in each element after
    // that. Buffers of 0.4 s cut that cost to a tenth.
    let slices = feed.scaler?.slices
    let blockFrames = slices?.blockFrames ?? (direction == .reverse ? 0 : rate * 2 / 5)
    output = FeedOutput(
      sources.map { TimedSource($0, frameBytes: frameBytes, rate: rate) }, slices: slices,
      blockBytes: blockFrames * frameBytes)
  }

  /// Sends one region, except for the frames that we compare with the next region. `stop` is the
  /// end of the region, if the reader doesn't stop there by itself.
  mutating func push(
    _ reader: SampleReader<UInt8>, isFirst: Bool, isLast: Bool, upTo stop: Duration?
  ) -> Outcome {
    var left = stop.map { Int(saturating: $0.inSeconds * Double(bytesPerSecond)) } ?? .max
    let begun = isFirst || direction == .reverse ? [] : reader.skip(bytes: join.warmUpBytes)
    let head = begun + reader.nextPieces(ofBytes: isFirst ? 1 : join.comparedBytes)
    if isFirst {
      // the first one gets the tags
      guard sources.allSatisfy({ reader.describe(to: $0, duration: duration) }) else {
        return .isOdd
      }
    } else {
      guard let rest = join.join(head) else { return .isOdd }
      guard output.send(rest) else { return .isStopped }
    }
    var pieces = head.makeIterator()
    while left > 0, let piece = (pieces.next() ?? reader.nextPiece())?.prefix(left) {
      left -= piece.count
      guard output.send(join.add(piece)) else { return .isStopped }
    }
    guard isLast else { return .isRead }
    return output.send(join.finish()) && output.finish() ? .isRead : .isStopped
  }
}
