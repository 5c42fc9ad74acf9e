// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// Scales a stream in the branches of a ``SliceLayout``, and sends the scaled slices to another
/// pipeline in order.
struct SliceScaler: Sendable {
  let slices: SliceLayout
  /// The appsrc at the beginning of each branch, and the appsink at its end.
  let sources: [Element]
  private let sinks: [PieceSink]
  private let pipeline: Pipeline
  private let target: Element
  private let rate: Int
  private let duration: Duration

  init(
    _ slices: SliceLayout, _ edit: AudioEdit, _ information: AudioInformation, into target: Element
  ) throws(RetrogradeError) {
    (self.slices, self.target) = (slices, target)
    rate = information.rate
    duration = information.duration(after: edit)
    let branches = (0..<slices.branches).map { branch in
      let scaling = edit.scaling(of: information, name: "timescale\(branch)")
      // nobody reads the last margin
      let sink =
        "appsink name=sink\(branch) sync=false async=false wait-on-eos=false "
        + "max-buffers=\(slices.queuedBuffers)"
      return (["appsrc name=source\(branch) format=time"] + scaling + [sink])
        .joined(separator: " ! ")
    }
    let pipeline = try Pipeline(branches.joined(separator: "  "))
    self.pipeline = pipeline
    sources = try (0..<slices.branches).map { branch throws(RetrogradeError) in
      try pipeline.known("source\(branch)")
    }
    sinks = try (0..<slices.branches).map { branch throws(RetrogradeError) in
      PieceSink(try pipeline.known("sink\(branch)"))
    }
  }

  /// The branches don't accept or return buffers before this.
  func start() async {
    await pipeline.request(GST_STATE_PLAYING)
  }

  func run(of file: AudioFile) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await pipeline.waitForEnd(of: file) }
      group.addTask { await blocking(collect, cancel: stop) }
      while try await group.next() != nil {}
    }
    await stop()
  }

  func stop() async { await pipeline.stop() }

  @Sendable private func collect() {
    var readers = sinks.map { PieceReader($0.element) }
    var output = TimedSource(target, frameBytes: slices.frameBytes, rate: rate)
    var slice = 0
    while true {
      let branch = slice % slices.branches
      readers[branch].skip(slices.scaledFramesToDrop(before: slice) * slices.frameBytes)
      var left = slices.scaledBlockFrames * slices.blocks * slices.frameBytes
      while left > 0, let piece = readers[branch].next(atMost: left) {
        // the caps of the scaled audio, and the tags that the first branch has received
        if output.isNew { _ = sinks[0].describe(to: target, duration: duration) }
        left -= piece.count
        guard output.send(piece) else { return }
      }
      // only the last slice is shorter
      guard left == 0 else { break }
      slice += 1
    }
    target.sendEnd()
  }
}

/// Reads the buffers of an appsink in pieces of any size.
private struct PieceReader {
  private let sink: Element
  private var rest: BufferPiece?

  init(_ sink: Element) { self.sink = sink }

  /// Returns up to `bytes` bytes, or nil at the end. Blocks the thread until they arrive.
  mutating func next(atMost bytes: Int) -> BufferPiece? {
    let piece = rest ?? sink.pull()
    rest = piece?.dropFirst(bytes)
    return piece?.prefix(bytes)
  }

  mutating func skip(_ bytes: Int) {
    var left = bytes
    while left > 0, let piece = next(atMost: left) { left -= piece.count }
  }
}
