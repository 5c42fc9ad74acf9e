// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Synchronization

/// Regions of a file whose decoder does not give the same frames twice, so that nobody can
/// tell where they meet; or there is no room to keep one. One pipeline can do it.
struct RegionsDoNotJoin: Error {}

/// Several pipelines that reverse a region of a file each, and hand them on in order.
///
/// The first one's frames go on as they come. Those of the others wait on the disk, beside the
/// new file, so that memory stays the same however long the file is.
struct RegionFeed: Sendable {
  let file: AudioFile
  let edit: AudioEdit
  let information: AudioInformation
  let plan: RegionPlan
  /// Takes what is handed on; it is the first element of `pipeline`.
  let source: Element
  let pipeline: Pipeline
  /// The new file.
  let target: URL
  /// Bytes that have been decoded.
  private let decoded = ByteCount()

  /// How much sound has been decoded.
  var time: Duration {
    let bytes = Double(max(information.rate * frameBytes, 1))
    return .seconds(saturating: Double(decoded.value) / bytes)
  }

  private var frameBytes: Int {
    let channels = edit.channels == .all ? information.channels : 1
    return channels * SampleFormat.bytes(of: information.sampleFormat)
  }

  /// Reads all regions; throws ``RegionsDoNotJoin``, and what goes wrong with the file.
  func run() async throws {
    let readers = try await startReaders()
    let spools = readers.dropFirst().compactMap { _ in Spool(beside: target) }
    guard spools.count == readers.count - 1 else { throw RegionsDoNotJoin() }
    let isJoined = await withTaskGroup(of: Bool.self) { group in
      for (reader, spool) in zip(readers.dropFirst(), spools) {
        group.addTask {
          await blocking {
            spool.fill { next(of: reader) }
          } cancel: {
            await reader.stop()
          }
          return true
        }
      }
      group.addTask { await join(readers, spools) }
      var isJoined = true
      for await isGood in group {
        isJoined = isJoined && isGood
        // nobody needs the others
        if !isGood { for reader in readers { await reader.stop() } }
      }
      return isJoined
    }
    // a decoder that does not repeat itself gives other samples with other regions
    guard isJoined, !readers.contains(where: \.hasFaded) else {
      // what has gone wrong with the file will go wrong again
      for reader in readers { await reader.abandon() }
      throw RegionsDoNotJoin()
    }
    for reader in readers { try await reader.finish() }
  }

  /// All begin at a time: some types have to be gone through from the start before a seek.
  private func startReaders() async throws -> [SampleReader<UInt8>] {
    let parts = edit.channelElements(of: information) + [edit.reversal(of: information)]
    return try await withThrowingTaskGroup(of: (Int, SampleReader<UInt8>).self) { group in
      for (index, region) in plan.regions.enumerated() {
        group.addTask {
          let format = information.sampleFormat
          return (index, try await .start(file, through: parts, format: format, region: region))
        }
      }
      var readers: [(Int, SampleReader<UInt8>)] = []
      for try await reader in group { readers.append(reader) }
      return readers.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private func next(of reader: SampleReader<UInt8>) -> [UInt8] {
    let bytes = reader.next()
    decoded.add(bytes.count)
    return bytes
  }

  /// Whether all regions fit, or somebody has stopped it.
  private func join(_ readers: [SampleReader<UInt8>], _ spools: [Spool]) async -> Bool {
    await blocking {
      feed(readers[0], spools)
    } cancel: {
      for reader in readers { await reader.stop() }
      await pipeline.stop()
    }
  }

  private func feed(_ first: SampleReader<UInt8>, _ spools: [Spool]) -> Bool {
    var join = RegionJoin(
      frameBytes: frameBytes, rate: information.rate, slackFrames: information.rate / 1000 + 1)
    var sent = SentFrames(frameBytes: frameBytes, rate: information.rate)
    var bytes = next(of: first)
    guard first.describe(to: source, duration: information.duration(of: edit.region)) else {
      return false
    }
    while !bytes.isEmpty {
      guard sent.send(join.add(bytes), to: source) else { return true }
      bytes = next(of: first)
    }
    for spool in spools {
      guard spool.wait() else { return false }
      let head = spool.read(join.comparedBytes)
      guard let rest = join.join(head) else { return false }
      guard sent.send(rest, to: source) else { return true }
      bytes = head
      while !bytes.isEmpty {
        guard sent.send(join.add(bytes), to: source) else { return true }
        bytes = spool.read(1 << 20)
      }
    }
    guard sent.send(join.finish()[...], to: source) else { return true }
    cgst_feed_end(source.pointer)
    return true
  }
}

/// Counts, from several threads.
private final class ByteCount: Sendable {
  private let count = Mutex(Int64(0))
  var value: Int64 { count.withLock { $0 } }
  func add(_ bytes: Int) { count.withLock { $0 += Int64(clamping: bytes) } }
}

/// Frames that were handed on, each with its time.
private struct SentFrames {
  let frameBytes: Int
  let rate: Int
  private var frames = 0

  init(frameBytes: Int, rate: Int) { (self.frameBytes, self.rate) = (frameBytes, rate) }

  /// FALSE where nobody takes them any more.
  mutating func send(_ bytes: ArraySlice<UInt8>, to source: Element) -> Bool {
    guard !bytes.isEmpty else { return true }
    let start = time
    frames += bytes.count / max(frameBytes, 1)
    let length = time - start
    return bytes.withUnsafeBytes {
      cgst_feed(
        source.pointer, $0.baseAddress, gsize(clamping: $0.count), GstClockTime(clamping: start),
        GstClockTime(clamping: length)) != 0
    }
  }

  /// Of what comes next, in ns.
  private var time: Int {
    let rate = max(rate, 1)
    return frames / rate * 1_000_000_000 + frames % rate * 1_000_000_000 / rate
  }
}
