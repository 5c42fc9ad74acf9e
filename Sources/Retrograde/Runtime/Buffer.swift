// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// A reference to a GStreamer buffer.
///
/// `@unchecked Sendable`, because nobody modifies a buffer that has several owners.
final class Buffer: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<GstBuffer>
  let byteCount: Int

  /// A ``PieceSink`` receives buffers of at least this size. Each buffer
  /// costs a lock, and often a thread switch.
  static let joinedBytes = 256 * 1024

  init(taking pointer: UnsafeMutablePointer<GstBuffer>) {
    self.pointer = pointer
    byteCount = pointer.size
  }

  deinit { gst_buffer_unref(pointer) }

  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try pointer.withBytes { try body(UnsafeRawBufferPointer($0)) }
      ?? body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

struct BufferPiece: BytePiece {
  let buffer: Buffer
  let count: Int

  init(_ buffer: Buffer) { (self.buffer, count) = (buffer, buffer.byteCount) }

  private init(_ buffer: Buffer, _ count: Int) { (self.buffer, self.count) = (buffer, count) }

  func prefix(_ maxLength: Int) -> BufferPiece { BufferPiece(buffer, min(count, maxLength)) }

  /// Everything after the first `bytes` bytes, without a copy. Nil if there's nothing left.
  func dropFirst(_ bytes: Int) -> BufferPiece? {
    guard bytes > 0 else { return self }
    guard bytes < count else { return nil }
    return gst_buffer_copy_region(
      buffer.pointer, GST_BUFFER_COPY_MEMORY, gsize(clamping: bytes),
      gsize(clamping: count - bytes)
    ).map { BufferPiece(Buffer(taking: $0)) }
  }

  /// Joins all pieces without a copy. Nil if there's no memory for the buffer.
  static func joined(_ pieces: [BufferPiece]) -> BufferPiece? {
    if pieces.count == 1 { return pieces[0] }
    guard var buffer = gst_buffer_new() else { return nil }
    for piece in pieces {
      let part = gst_buffer_copy_region(
        piece.buffer.pointer, GST_BUFFER_COPY_MEMORY, 0, gsize(clamping: piece.count))
      guard let part, let longer = gst_buffer_append(buffer, part) else {
        gst_buffer_unref(buffer)
        return nil
      }
      buffer = longer
    }
    return BufferPiece(Buffer(taking: buffer))
  }

  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
  }
}

extension Element {
  /// Waits for the next buffer of an appsink that has frames inside the segment, and clips it to the
  /// segment, which an appsink doesn't. Nil at the end of the stream or when the pipeline is
  /// stopped.
  func pull() -> BufferPiece? {
    while let sample = gst_app_sink_pull_sample(cast(pointer)) {
      defer { gst_sample_unref(sample) }
      guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample),
        let info = GstAudioInfo(caps),
        let part = gst_audio_buffer_clip(
          gst_buffer_ref(buffer), gst_sample_get_segment(sample), info.rate, info.bpf)
      else { continue }
      let piece = BufferPiece(Buffer(taking: part))
      if piece.count > 0 { return piece }
    }
    return nil
  }
}
