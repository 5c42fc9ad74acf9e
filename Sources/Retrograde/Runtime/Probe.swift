// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

/// The same object as another type, as C's casts return it.
func cast<From, To>(_ pointer: UnsafeMutablePointer<From>) -> UnsafeMutablePointer<To> {
  UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: To.self)
}

/// What a probe sees at a pad. Only valid during the call.
struct Passage {
  let pad: UnsafeMutablePointer<GstPad>
  let info: UnsafeMutablePointer<GstPadProbeInfo>

  var buffer: UnsafeMutablePointer<GstBuffer>? { data(GST_PAD_PROBE_TYPE_BUFFER) }
  var event: UnsafeMutablePointer<GstEvent>? { data(.events) }
  var query: UnsafeMutablePointer<GstQuery>? { data(GST_PAD_PROBE_TYPE_QUERY_UPSTREAM) }

  private func data<Object>(_ kind: GstPadProbeType) -> UnsafeMutablePointer<Object>? {
    guard info.pointee.type.rawValue & kind.rawValue != 0 else { return nil }
    return info.pointee.data?.assumingMemoryBound(to: Object.self)
  }

  /// Passes this object on in place of the current one, which you've taken over.
  func replace(with object: UnsafeMutableRawPointer?) { info.pointee.data = object }

  /// The buffer, copied if others use it, too.
  func writableBuffer() -> UnsafeMutablePointer<GstBuffer>? {
    guard let buffer, let own = gst_mini_object_make_writable(cast(buffer)) else { return nil }
    replace(with: own)
    return cast(own)
  }

  /// The format of the audio that arrives at the pad.
  var format: GstAudioInfo? {
    pad.withCaps { GstAudioInfo($0) }
  }
}

extension GstPadProbeType {
  static let events = GstPadProbeType(
    GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue | GST_PAD_PROBE_TYPE_EVENT_FLUSH.rawValue)
  /// Buffers and all events downstream.
  static let traffic = GstPadProbeType(events.rawValue | GST_PAD_PROBE_TYPE_BUFFER.rawValue)
  /// Buffers that the pad pushes, and those that others pull from it.
  static let reads = GstPadProbeType(
    GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_PULL.rawValue)
}

extension GstAudioInfo {
  var format: GstAudioFormat { finfo?.pointee.format ?? GST_AUDIO_FORMAT_UNKNOWN }
  /// True for the formats in which we change samples.
  var isFloat: Bool { format == GST_AUDIO_FORMAT_F32LE || format == GST_AUDIO_FORMAT_F64LE }

  init?(_ caps: UnsafePointer<GstCaps>) {
    self.init()
    guard gst_audio_info_from_caps(&self, caps) != 0 else { return nil }
  }

  /// How long this many frames last, in ns.
  func time(of frames: Int) -> GstClockTime {
    gst_util_uint64_scale_int(guint64(clamping: frames), 1_000_000_000, rate)
  }
}

/// An object so that C can hold a reference to it.
private final class Probe: Sendable {
  let body: @Sendable (Passage) -> GstPadProbeReturn
  init(_ body: @escaping @Sendable (Passage) -> GstPadProbeReturn) { self.body = body }
}

extension UnsafeMutablePointer<GstCaps> {
  var structure: UnsafeMutablePointer<GstStructure>? { gst_caps_get_structure(self, 0) }
  /// The type, such as "audio/x-flac".
  var name: String { structure.map { String(cString: gst_structure_get_name($0)) } ?? "" }

  /// The first of the headers that a parser has found.
  var streamHeader: UnsafeMutablePointer<GstBuffer>? {
    guard let headers = gst_structure_get_value(structure, "streamheader"),
      headers.holds("GstValueArray"), gst_value_array_get_size(headers) > 0
    else { return nil }
    return gst_value_array_get_value(headers, 0)?.buffer
  }
}

extension UnsafeMutablePointer<GstPad> {
  /// Calls `body` with the current caps. Returns nil if there are none yet.
  func withCaps<Result>(_ body: (UnsafeMutablePointer<GstCaps>) -> Result?) -> Result? {
    guard let caps = gst_pad_get_current_caps(self) else { return nil }
    defer { gst_caps_unref(caps) }
    return body(caps)
  }

  /// Calls `body` for everything of these kinds from now on, in the streaming thread. Its result
  /// says what becomes of it.
  @discardableResult
  func probe(
    _ kinds: GstPadProbeType, _ body: @escaping @Sendable (Passage) -> GstPadProbeReturn
  ) -> UInt {
    gst_pad_add_probe(
      self, kinds,
      { pad, info, data in
        guard let pad, let info, let data else { return GST_PAD_PROBE_OK }
        return Unmanaged<Probe>.fromOpaque(data).takeUnretainedValue().body(
          Passage(pad: pad, info: info))
      },
      Unmanaged.passRetained(Probe(body)).toOpaque(),
      { data in if let data { Unmanaged<Probe>.fromOpaque(data).release() } })
  }

  /// Like ``probe(_:_:)``, but lets everything pass.
  func watch(_ kinds: GstPadProbeType, _ note: @escaping @Sendable (Passage) -> Void) {
    probe(kinds) {
      note($0)
      return GST_PAD_PROBE_OK
    }
  }
}

extension Element {
  func withPad<Result>(
    _ name: String, _ body: (UnsafeMutablePointer<GstPad>) -> Result
  ) -> Result? {
    guard let pad = gst_element_get_static_pad(pointer, name) else { return nil }
    defer { gst_object_unref(pad) }
    return body(pad)
  }

  func probe(
    _ pad: String, _ kinds: GstPadProbeType,
    _ body: @escaping @Sendable (Passage) -> GstPadProbeReturn
  ) {
    _ = withPad(pad) { $0.probe(kinds, body) }
  }

  func watch(
    _ pad: String, _ kinds: GstPadProbeType, _ note: @escaping @Sendable (Passage) -> Void
  ) {
    _ = withPad(pad) { $0.watch(kinds, note) }
  }
}

extension UnsafeMutablePointer<GstBuffer> {
  var size: Int { Int(clamping: gst_buffer_get_size(self)) }

  /// The time after the buffer's last frame. Its start if the duration is unknown, or nil if that
  /// is.
  var end: GstClockTime? {
    guard pointee.pts != cgst_no_time else { return nil }
    return pointee.duration == cgst_no_time ? pointee.pts : pointee.pts &+ pointee.duration
  }

  func withBytes<Result>(
    writing: Bool = false, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    var map = GstMapInfo()
    let flags = writing ? GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue : GST_MAP_READ.rawValue
    guard gst_buffer_map(self, &map, GstMapFlags(flags)) != 0 else { return nil }
    defer { gst_buffer_unmap(self, &map) }
    return try body(UnsafeMutableRawBufferPointer(start: map.data, count: Int(clamping: map.size)))
  }

  /// Silence may have become sound.
  func clearGap() {
    pointee.mini_object.flags &= ~GST_BUFFER_FLAG_GAP.rawValue
  }
}

extension Passage {
  func isA(_ type: GstEventType) -> Bool { event?.pointee.type == type }

  /// Stream times or running times of a buffer's start and stop, in ns and at least 0. If the audio
  /// is reversed, the stop's stream time is lower than the start's. Nil if unknown, or for an event.
  func times(
    _ convert: (
      UnsafePointer<GstSegment>?, GstFormat, guint64, UnsafeMutablePointer<guint64>?
    ) -> gint
  ) -> (start: Int64, stop: Int64)? {
    guard let buffer, let end = buffer.end,
      let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)
    else { return nil }
    defer { gst_event_unref(event) }
    var segment: UnsafePointer<GstSegment>?
    gst_event_parse_segment(event, &segment)
    guard segment?.pointee.format == GST_FORMAT_TIME else { return nil }
    var (start, stop): (guint64, guint64) = (0, 0)
    let signs = (
      convert(segment, GST_FORMAT_TIME, buffer.pointee.pts, &start),
      convert(segment, GST_FORMAT_TIME, end, &stop)
    )
    guard signs.0 != 0, signs.1 != 0 else { return nil }
    return (
      signs.0 < 0 ? 0 : Int64(clamping: start), signs.1 < 0 ? 0 : Int64(clamping: stop)
    )
  }
}
