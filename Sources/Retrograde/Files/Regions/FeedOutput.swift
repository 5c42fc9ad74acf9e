// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Sends frames to the appsrc elements of a pipeline. There's either a single one, or one per
/// branch of a ``SliceLayout``, which we send blocks to.
struct FeedOutput {
  private let slices: SliceLayout?
  private var sources: [TimedSource]
  /// Minimum size of the buffers that we send, except for the last one. With slices, all buffers
  /// have this size.
  private let blockBytes: Int
  private var waiting: [BufferPiece] = []
  private var waitingBytes = 0
  private var blocksSent = 0

  init(_ sources: [TimedSource], slices: SliceLayout?, blockBytes: Int) {
    (self.sources, self.slices, self.blockBytes) = (sources, slices, blockBytes)
  }

  /// Adds `pieces`, and sends a buffer whenever there are enough. Returns false if the pipeline no
  /// longer accepts buffers.
  mutating func send(_ pieces: [BufferPiece]) -> Bool {
    for var piece in pieces {
      while slices != nil, waitingBytes + piece.count > blockBytes {
        let head = piece.prefix(blockBytes - waitingBytes)
        guard add(head), let rest = piece.dropFirst(head.count) else { return false }
        piece = rest
      }
      guard add(piece) else { return false }
    }
    return true
  }

  private mutating func add(_ piece: BufferPiece) -> Bool {
    waiting.append(piece)
    waitingBytes += piece.count
    return waitingBytes < blockBytes || sendWaiting()
  }

  mutating func finish() -> Bool { waiting.isEmpty || sendWaiting() }

  private mutating func sendWaiting() -> Bool {
    guard let block = BufferPiece.joined(waiting) else { return false }
    (waiting, waitingBytes) = ([], 0)
    guard let slices else { return sources[0].send(block) }
    defer { blocksSent += 1 }
    return slices.receivers(ofBlock: blocksSent).allSatisfy { branch, part in
      let marginBytes = slices.marginFrames * sources[branch].frameBytes
      let piece =
        switch part {
        case .whole: block
        case .start: block.prefix(marginBytes)
        case .end: block.dropFirst(max(block.count - marginBytes, 0)) ?? block
        }
      return sources[branch].send(piece)
    }
  }
}

/// An appsrc that receives frames with timestamps based on the number of frames sent so far.
struct TimedSource {
  let element: Element
  let frameBytes: Int
  let rate: Int
  private var frames = 0
  var isNew: Bool { frames == 0 }

  init(_ element: Element, frameBytes: Int, rate: Int) {
    (self.element, self.frameBytes, self.rate) = (element, frameBytes, rate)
  }

  mutating func send(_ piece: BufferPiece) -> Bool {
    let start = time
    frames += piece.count / max(frameBytes, 1)
    return element.send(piece, at: start, duration: time - start)
  }

  /// Time of the next frame, in ns.
  private var time: Int {
    let rate = max(rate, 1)
    return frames / rate * 1_000_000_000 + frames % rate * 1_000_000_000 / rate
  }
}
