// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// Samples as GStreamer holds them, referenced.
///
/// `@unchecked Sendable`: a buffer with several owners is never written.
final class Buffer: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<GstBuffer>
  let byteCount: Int

  /// Takes over a reference.
  init(taking pointer: UnsafeMutablePointer<GstBuffer>) {
    self.pointer = pointer
    byteCount = Int(clamping: gst_buffer_get_size(pointer))
  }

  deinit { gst_buffer_unref(pointer) }

  /// No bytes if they cannot be read.
  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    var map = GstMapInfo()
    guard gst_buffer_map(pointer, &map, GST_MAP_READ) != 0 else {
      return try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    defer { gst_buffer_unmap(pointer, &map) }
    return try body(UnsafeRawBufferPointer(start: map.data, count: Int(clamping: map.size)))
  }
}

/// A buffer, or the beginning of one.
struct BufferPiece: BytePiece {
  let buffer: Buffer
  let count: Int

  init(_ buffer: Buffer) { (self.buffer, count) = (buffer, buffer.byteCount) }

  private init(_ buffer: Buffer, _ count: Int) { (self.buffer, self.count) = (buffer, count) }

  func prefix(_ maxLength: Int) -> BufferPiece { BufferPiece(buffer, min(count, maxLength)) }

  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
  }
}
