// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Which place of the file is heard when.
///
/// What `revbuf` sends is heard only after what a sink has queued, some 0.2 s; in between play
/// may turn, jump and change its speed. So the places are noted as buffers go into `timescale`,
/// each beside the running time that its output has reached, and looked up by what is heard.
/// All times are in nanoseconds.
struct PositionTrack: Sendable {
  /// A part of the file that is heard in one go.
  private struct Piece {
    var start: Int64
    var stop: Int64
    /// In the file; backwards `to` is less than `from`.
    var from: Int64
    var to: Int64

    func place(at running: Int64) -> Int64 {
      guard stop > start else { return from }
      let part = Double(min(max(running, start), stop) - start) / Double(stop - start)
      return Int64(saturating: Double(from) + Double(to - from) * part)
    }
  }

  private var pieces: [Piece] = []
  /// Running time that the output has reached; nil before there is any.
  private var reached: Int64?
  /// Whether the end of the stream has left it.
  var isComplete = false

  /// Several seconds of small buffers: more than any sink queues.
  private static let most = 2048

  /// What is between these places goes into `timescale`.
  mutating func enter(from: Int64, to: Int64) {
    let start = reached ?? 0
    pieces.append(Piece(start: start, stop: start, from: from, to: to))
    if pieces.count > Self.most { pieces.removeFirst(Self.most / 2) }
  }

  /// Output comes from it, from one running time to the other.
  mutating func leave(start: Int64, stop: Int64) {
    if reached == nil, let last = pieces.indices.last { pieces[last].start = start }
    reached = stop
    if let last = pieces.indices.last { pieces[last].stop = stop }
  }

  /// All that has not been heard is thrown away, and running time begins anew.
  mutating func flush() {
    pieces = []
    reached = nil
    isComplete = false
  }

  /// What is heard at a running time: the place, and which way it goes; nil before anything is.
  func heard(at running: Int64) -> (place: Int64, direction: AudioEdit.Direction)? {
    guard let piece = pieces.last(where: { $0.start <= running }) ?? pieces.first else {
      return nil
    }
    return (piece.place(at: running), piece.to < piece.from ? .reverse : .forward)
  }

  /// Which way the last of it goes.
  var lastDirection: AudioEdit.Direction? {
    pieces.last.map { $0.to < $0.from ? .reverse : .forward }
  }
}
