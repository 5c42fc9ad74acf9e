// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Maps running times to positions in the file.
///
/// Buffers from `revbuf` wait in the sink's queue, so you hear them about 0.2 s later. Meanwhile,
/// direction, position and speed may change. So we record the position of each buffer that enters
/// `timescale`, along with the running time of the resulting output, and can then tell from the
/// running time which position is playing. All times are in nanoseconds.
struct PositionTrack: Sendable {
  /// A buffer that has entered `timescale`: its positions, and the running times of its output.
  private struct Piece {
    var start: Int64
    var stop: Int64
    /// Positions in the file. In reverse, `to` is less than `from`.
    var from: Int64
    var to: Int64

    func position(at running: Int64) -> Int64 {
      guard stop > start else { return from }
      let part = Double(min(max(running, start), stop) - start) / Double(stop - start)
      return Int64(saturating: Double(from) + Double(to - from) * part)
    }
  }

  private var pieces: [Piece] = []
  /// Running time of the end of the last `timescale` output. Nil before there is any.
  private(set) var reached: Int64?
  /// True once `timescale` has sent the end of the stream. The sink may still be playing it.
  var isComplete = false

  /// Enough for several seconds of small buffers, which is more than any sink queues.
  private static let most = 2048
  /// Times are rounded, so consecutive buffers may be a few nanoseconds apart.
  private static let leastJump = 1_000_000

  /// Returns true if the buffer doesn't start where the previous one ended. Without a flush, only
  /// loops jump.
  @discardableResult
  mutating func enter(from: Int64, to: Int64) -> Bool {
    let start = reached ?? 0
    let jump = from - (pieces.last?.to ?? from)
    pieces.append(Piece(start: start, stop: start, from: from, to: to))
    if pieces.count > Self.most { pieces.removeFirst(Self.most / 2) }
    return jump.magnitude > Self.leastJump
  }

  mutating func leave(start: Int64, stop: Int64) {
    if reached == nil, let last = pieces.indices.last { pieces[last].start = start }
    reached = stop
    if let last = pieces.indices.last { pieces[last].stop = stop }
  }

  /// A flush discards audio that hasn't been played yet, and restarts the running time.
  mutating func flush() {
    pieces = []
    reached = nil
    isComplete = false
  }

  /// The position in the file and the direction at a running time. Nil before the first frame.
  func played(at running: Int64) -> (position: Int64, direction: Direction)? {
    guard let piece = pieces.last(where: { $0.start <= running }) ?? pieces.first else {
      return nil
    }
    return (piece.position(at: running), piece.to < piece.from ? .reverse : .forward)
  }

  var lastDirection: Direction? {
    pieces.last.map { $0.to < $0.from ? .reverse : .forward }
  }
}
