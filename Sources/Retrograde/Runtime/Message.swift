// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

enum Message: Sendable {
  /// All data has been played or written.
  case endOfStream
  /// A change of state, or a flushing seek, is complete.
  case asyncDone
  case failed(PipelineFailure)
  case warning(PipelineFailure)
  case tags(AudioTags)
  /// Decoding needs a plugin that isn't installed. The value describes the format.
  case missing(String)
  case latency
  /// No data has passed for ten seconds.
  case stuck
}

struct PipelineFailure: Sendable {
  var source: String
  var domain: UInt32
  var code: Int32
  /// The text for the user. For `revbuf` and `timescale`, only the part before the colon. The rest
  /// is advice for people who write pipelines.
  var text: String
  var isOwn: Bool { ["revbuf", "timescale"].contains { source.hasPrefix($0) } }
  /// The description of the effect that the element belongs to, if any.
  var effect: String?
}

extension Message {
  init?(_ message: UnsafeMutablePointer<GstMessage>) {
    switch message.pointee.type {
    case GST_MESSAGE_EOS: self = .endOfStream
    case GST_MESSAGE_ASYNC_DONE: self = .asyncDone
    case GST_MESSAGE_ERROR: self = .failed(PipelineFailure(message, gst_message_parse_error))
    case GST_MESSAGE_WARNING: self = .warning(PipelineFailure(message, gst_message_parse_warning))
    case GST_MESSAGE_TAG: self = .tags(AudioTags(of: message))
    case GST_MESSAGE_TOC:
      var tags = AudioTags()
      var toc: OpaquePointer?
      gst_message_parse_toc(message, &toc, nil)
      guard let toc else { return nil }
      defer { gst_mini_object_unref(UnsafeMutablePointer(toc)) }
      tags.hasChapters = gst_toc_get_entries(toc) != nil
      self = .tags(tags)
    case GST_MESSAGE_LATENCY: self = .latency
    case GST_MESSAGE_ELEMENT:
      guard gst_is_missing_plugin_message(message) != 0 else { return nil }
      self = .missing(adopt(gst_missing_plugin_message_get_description(message)))
    default: return nil
    }
  }
}

extension PipelineFailure {
  typealias Parser = (
    UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
    UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
  ) -> Void

  init(_ message: UnsafeMutablePointer<GstMessage>, _ parse: Parser) {
    var error: UnsafeMutablePointer<GError>?
    parse(message, &error, nil)
    source = message.pointee.src.map { adopt(gst_object_get_name($0)) } ?? ""
    domain = error?.pointee.domain ?? 0
    code = error?.pointee.code ?? 0
    text = consumeMessage(of: error)
    effect = Pipeline.effect(of: message.pointee.src)
    if isOwn, let colon = text.firstRange(of: ": ") { text = String(text[..<colon.lowerBound]) }
  }

  func isA(_ domain: GQuark, _ code: UInt32) -> Bool {
    self.domain == domain && self.code == Int32(bitPattern: code)
  }
}

/// Converts a string from GLib and frees it. NULL becomes an empty string.
func adopt(_ string: UnsafeMutablePointer<gchar>?) -> String {
  guard let string else { return "" }
  defer { g_free(string) }
  return String(cString: string)
}

/// Converts an array of strings from GLib and frees it.
func adoptList(_ list: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?) -> [String] {
  guard let list else { return [] }
  defer { g_strfreev(list) }
  return sequence(state: list) { pointer in
    guard let string = pointer.pointee else { return nil }
    pointer += 1
    return String(cString: string)
  }.map { $0 }
}
