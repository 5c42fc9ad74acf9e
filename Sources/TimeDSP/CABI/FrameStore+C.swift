// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CTimeDSP

/// Makes an empty store. See `timekept.h`.
@c @implementation
public func timestore_new(
  _ planes: UInt32, _ strideBytes: UInt32, _ maxMemoryBytes: UInt64,
  _ file: UnsafePointer<TimeStoreFile>!
) -> OpaquePointer! {
  guard let file else { return nil }
  do throws(TimeDSPStatus) {
    return OpaquePointer(
      try allocated(
        FrameStore(
          planes: planes, strideBytes: strideBytes, mostBytes: maxMemoryBytes, file: file.pointee)))
  } catch {
    return nil
  }
}

/// Frees a store. See `timekept.h`.
@c @implementation
public func timestore_free(_ store: OpaquePointer!) {
  FrameStore.free(store)
}

/// Discards all frames. See `timekept.h`.
@c @implementation
public func timestore_clear(_ store: OpaquePointer!) {
  value(of: store)?.pointee.clear()
}

/// Number of frames. See `timekept.h`.
@c @implementation
public func timestore_count(_ store: OpaquePointer!) -> UInt64 {
  value(of: store)?.pointee.count ?? 0
}

/// Number of bytes in the file. See `timekept.h`.
@c @implementation
public func timestore_file_bytes(_ store: OpaquePointer!) -> UInt64 {
  value(of: store)?.pointee.fileBytes ?? 0
}

/// Appends frames. See `timekept.h`.
@c @implementation
public func timestore_append(
  _ store: OpaquePointer!, _ planes: UnsafePointer<UnsafeRawPointer?>!, _ frames: Int
) -> Int32 {
  guard let store = value(of: store), let planes else { return 0 }
  return store.pointee.append(planes, frames: frames) ? 1 : 0
}

/// Gives access to frames. See `timekept.h`.
@c @implementation
public func timestore_peek(
  _ store: OpaquePointer!, _ frame: UInt64, _ backward: Int32,
  _ span: UnsafeMutablePointer<TimeStoreSpan>!
) -> Int32 {
  guard let span, let found = value(of: store)?.pointee.peek(frame, isBackward: backward != 0)
  else { return 0 }
  span.pointee = found
  return 1
}

/// The store that a C pointer refers to.
private func value(of pointer: OpaquePointer?) -> UnsafeMutablePointer<FrameStore>? {
  UnsafeMutablePointer(pointer)
}
