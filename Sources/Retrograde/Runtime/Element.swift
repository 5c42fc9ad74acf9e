// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// A reference to a GStreamer element.
///
/// `@unchecked Sendable`, because any thread may use an element's properties and queries.
final class Element: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<GstElement>

  init(taking pointer: UnsafeMutablePointer<GstElement>) {
    self.pointer = pointer
  }

  deinit { gst_object_unref(pointer) }

  /// Sets a property of any type. Write `value` the way you would for gst-launch-1.0.
  func set(_ property: String, _ value: String) {
    gst_util_set_object_arg(cgst_object(pointer), property, value)
  }

  /// Sets a property that holds a file name, which GStreamer doesn't parse.
  func set(_ property: String, _ path: FilePath) {
    cgst_set_string(pointer, property, path.cString)
  }

  func set(_ property: String, _ value: Double) {
    cgst_set_double(pointer, property, value)
  }

  func set(_ property: String, _ value: Duration) {
    cgst_set_time(pointer, property, GstClockTime(clamping: value.nanoseconds))
  }

  func choice(of property: String) -> Int { Int(clamping: cgst_get_enum(pointer, property)) }

  /// A number in a property that's a `GstStructure`. Nil if there's no such number.
  func count(_ field: String, in property: String) -> Int? {
    guard let structure = cgst_get_structure(pointer, property) else { return nil }
    defer { gst_structure_free(structure) }
    var number: guint64 = 0
    return gst_structure_get_uint64(structure, field, &number) != 0 ? Int(clamping: number) : nil
  }

  /// Subtracts `time` from all timestamps of the output, using the source pad's offset.
  func advance(by time: Duration) {
    guard let pad = gst_element_get_static_pad(pointer, "src") else { return }
    gst_pad_set_offset(pad, gint64(clamping: (.zero - time).nanoseconds))
    gst_object_unref(pad)
  }

  /// The position of this element's output. For a sink, that's what you hear.
  func position() -> Duration? {
    query(gst_pad_query_position, gst_element_query_position)
  }

  func duration() -> Duration? {
    query(gst_pad_query_duration, gst_element_query_duration)
  }

  private typealias Question<Object> = (
    UnsafeMutablePointer<Object>?, GstFormat, UnsafeMutablePointer<gint64>?
  ) -> gboolean

  /// Queries the source pad, or the element itself if it's a sink.
  private func query(
    _ askPad: Question<GstPad>, _ askElement: Question<GstElement>
  ) -> Duration? {
    var nanoseconds: gint64 = -1
    let isKnown: gboolean
    if let pad = gst_element_get_static_pad(pointer, "src") {
      isKnown = askPad(pad, GST_FORMAT_TIME, &nanoseconds)
      gst_object_unref(pad)
    } else {
      isKnown = askElement(pointer, GST_FORMAT_TIME, &nanoseconds)
    }
    guard isKnown != 0, nanoseconds >= 0 else { return nil }
    return .nanoseconds(Int64(clamping: nanoseconds))
  }

  /// Blocks the output of the element. ``Message/blocked`` reports the first buffer that waits
  /// there.
  func block() -> UInt { cgst_block(pointer) }

  func unblock(_ block: UInt) { cgst_unblock(pointer, block) }

  /// The caps at the sink pad, which you must unref. Nil until known.
  var inputCaps: UnsafeMutablePointer<GstCaps>? {
    guard let pad = gst_element_get_static_pad(pointer, "sink") else { return nil }
    defer { gst_object_unref(pad) }
    return gst_pad_get_current_caps(pad)
  }
}
