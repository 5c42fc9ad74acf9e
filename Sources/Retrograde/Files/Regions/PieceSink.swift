// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import Synchronization

/// An appsink whose samples we pass on to another pipeline. To get a few large buffers instead of
/// many small ones, we join buffers until they add up to at least ``Buffer/joinedBytes``.
struct PieceSink: Sendable {
  let element: Element
  private let events = EventLog()
  var isAtEnd: Bool { gst_app_sink_is_eos(cast(element.pointer)) != 0 }

  /// Call it before the first event arrives.
  init(_ element: Element) {
    self.element = element
    let joiner = Joiner()
    element.watch("sink", .events) { [events] in events.note($0.event) }
    element.probe("sink", .traffic) { joiner.join($0) }
  }

  /// Passes the caps and the recorded events on to an appsrc, which sends them before its first
  /// buffer. Returns false if no caps have arrived yet.
  func describe(to source: Element, duration: Duration) -> Bool {
    guard let caps = element.inputCaps else { return false }
    defer { gst_caps_unref(caps) }
    let new = EventLog(events.takeAll())
    source.probe("src", GST_PAD_PROBE_TYPE_BUFFER) { passage in
      for event in new.takeAll() { gst_pad_push_event(passage.pad, event.value) }
      return GST_PAD_PROBE_REMOVE
    }
    source.set("block", "true")
    gst_app_src_set_caps(cast(source.pointer), caps)
    gst_app_src_set_max_bytes(cast(source.pointer), 4 << 20)
    gst_app_src_set_duration(
      cast(source.pointer), GstClockTime(clamping: duration.nanoseconds))
    return true
  }
}

extension Element {
  /// Waits for room in an appsrc's queue, then sends a piece without copying it. Returns false if the
  /// pipeline was stopped or doesn't accept the piece. Times are in ns.
  func send(_ piece: BufferPiece, at start: Int, duration: Int) -> Bool {
    let part = gst_buffer_copy_region(
      piece.buffer.pointer, GST_BUFFER_COPY_MEMORY, 0, gsize(clamping: piece.count))
    guard let part else { return false }
    part.pointee.pts = GstClockTime(clamping: start)
    part.pointee.duration = GstClockTime(clamping: duration)
    return gst_app_src_push_buffer(cast(pointer), part) == GST_FLOW_OK
  }

  func sendEnd() { gst_app_src_end_of_stream(cast(pointer)) }
}

/// The tag and TOC events that a pad receives. Its sticky events aren't enough, because it only keeps
/// the last tag event of each scope.
private final class EventLog: Sendable {
  // Unchecked is safe, because nobody changes an event that several own
  typealias Event = Unchecked<UnsafeMutablePointer<GstEvent>>
  private let events: Mutex<[Event]>

  init(_ events: [Event] = []) { self.events = Mutex(events) }

  deinit { for event in takeAll() { gst_event_unref(event.value) } }

  func note(_ event: UnsafeMutablePointer<GstEvent>?) {
    guard let event, [GST_EVENT_TAG, GST_EVENT_TOC].contains(event.pointee.type),
      let own = gst_event_ref(event)
    else { return }
    let noted = Event(own)
    events.withLock { $0.append(noted) }
  }

  func takeAll() -> [Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

/// Joins buffers, but not across a DISCONT flag or a CAPS, SEGMENT or EOS event. A joined buffer has
/// the timestamp of its first part, and no duration.
///
/// `@unchecked Sendable`, because a pad delivers one buffer or event at a time.
private final class Joiner: @unchecked Sendable {
  /// The buffers still to be passed on, joined.
  private var waiting: UnsafeMutablePointer<GstBuffer>?
  private var passesOn = false

  deinit { clear() }

  func join(_ passage: Passage) -> GstPadProbeReturn {
    if passesOn { return GST_PAD_PROBE_OK }
    if let buffer = passage.buffer { return join(buffer, passage) }
    guard let type = passage.event?.pointee.type else { return GST_PAD_PROBE_OK }
    if type == GST_EVENT_FLUSH_STOP { clear() }
    if [GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_EOS].contains(type) { passOn(passage.pad) }
    return GST_PAD_PROBE_OK
  }

  private func join(
    _ new: UnsafeMutablePointer<GstBuffer>, _ passage: Passage
  ) -> GstPadProbeReturn {
    if new.pointee.mini_object.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0 {
      passOn(passage.pad)
    }
    var buffer = new
    if let waiting, let longer = gst_buffer_append(waiting, new) {
      buffer = longer
      // it would be the first part's duration
      buffer.pointee.duration = cgst_no_time
    }
    let isEnough = buffer.size >= Buffer.joinedBytes
    waiting = isEnough ? nil : buffer
    passage.replace(with: isEnough ? buffer : nil)
    return isEnough ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED
  }

  /// Passes on the waiting buffers, which go through the probe again.
  private func passOn(_ pad: UnsafeMutablePointer<GstPad>) {
    guard let rest = waiting else { return }
    (waiting, passesOn) = (nil, true)
    gst_pad_chain(pad, rest)
    passesOn = false
  }

  private func clear() {
    if let waiting { gst_buffer_unref(waiting) }
    waiting = nil
  }
}
