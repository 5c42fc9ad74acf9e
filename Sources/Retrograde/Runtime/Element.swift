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

  init(sharing pointer: UnsafeMutablePointer<GstElement>) {
    gst_object_ref(pointer)
    self.pointer = pointer
  }

  deinit { gst_object_unref(pointer) }

  /// All elements of an iterator, which we take over.
  static func all(_ iterator: UnsafeMutablePointer<GstIterator>?) -> [Element] {
    guard let iterator else { return [] }
    defer { gst_iterator_free(iterator) }
    var (item, found) = (GValue(), [Element]())
    while true {
      switch gst_iterator_next(iterator, &item) {
      case GST_ITERATOR_OK:
        if let object = g_value_get_object(&item) {
          found.append(Element(sharing: object.assumingMemoryBound(to: GstElement.self)))
        }
        g_value_reset(&item)
      case GST_ITERATOR_RESYNC:
        found = []
        gst_iterator_resync(iterator)
      default:
        g_value_unset(&item)
        return found
      }
    }
  }

  /// True if GStreamer files the element under all of these words, such as "Decoder" and "Audio".
  func isA(_ words: String...) -> Bool {
    let kind = gst_element_get_metadata(pointer, "klass").map { String(cString: $0) } ?? ""
    return words.allSatisfy(kind.contains)
  }

  /// The name of the kind of element, such as "oggdemux".
  var factoryName: String? {
    let factory = gst_element_get_factory(pointer).map { UnsafeMutablePointer<GstObject>($0) }
    return factory.map { adopt(gst_object_get_name($0)) }
  }

  func isFlagged(_ flag: GstElementFlags) -> Bool {
    pointer.pointee.object.flags & flag.rawValue != 0
  }

  /// Sets a property of any type. Write `value` the way you would for gst-launch-1.0.
  func set(_ property: String, _ value: String) {
    gst_util_set_object_arg(cast(pointer), property, value)
  }

  /// Sets a property that holds a file name, which GStreamer doesn't parse.
  func set(_ property: String, _ path: FilePath) {
    cgst_set_string(pointer, property, path.cString)
  }

  func set(_ property: String, _ value: Double) { set(property, "\(value)") }

  func set(_ property: String, _ value: Duration) {
    set(property, "\(GstClockTime(clamping: value.nanoseconds))")
  }

  func choice(of property: String) -> Int { Int(clamping: cgst_get_enum(pointer, property)) }

  /// Subtracts `time` from all timestamps of the output, using the source pad's offset.
  func advance(by time: Duration) {
    _ = withPad("src") { gst_pad_set_offset($0, gint64(clamping: (.zero - time).nanoseconds)) }
  }

  func duration() -> Duration? {
    var nanoseconds: gint64 = -1
    guard gst_element_query_duration(pointer, GST_FORMAT_TIME, &nanoseconds) != 0, nanoseconds >= 0
    else { return nil }
    return .nanoseconds(Int64(clamping: nanoseconds))
  }

  func unblock(_ block: UInt) { _ = withPad("src") { gst_pad_remove_probe($0, block) } }

  /// The caps at the sink pad, which you must unref. Nil until known.
  var inputCaps: UnsafeMutablePointer<GstCaps>? {
    withPad("sink") { gst_pad_get_current_caps($0) } ?? nil
  }
}
