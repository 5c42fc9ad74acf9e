// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension [AudioEffect] {
  /// Placeholders for the effects with this `place`, to use in a pipeline description.
  /// ``Pipeline/insert(_:_:)`` inserts each effect at its placeholder later. They accept audio in
  /// any format, and convert it to `format`.
  func elements(_ place: AudioEffect.Place, of format: AudioEffect.Format) -> [String] {
    let caps = "audio/x-raw,rate=\(format.rate),channels=\(format.channels)"
    return enumerated().filter { $0.element.place == place }.flatMap { index, _ in
      [
        "audioconvert", "audioresample quality=10",
        "capsfilter name=effect\(index) caps=\"\(caps),format=F32LE,layout=interleaved\"",
        "capsfilter name=outlet\(index) caps=\"\(caps)\"", "audioconvert",
      ]
    }
  }
}

extension Pipeline {
  /// Throws if we can't create one of the effects, or if it doesn't accept this format or changes
  /// it.
  static func checkEffects(
    _ effects: [AudioEffect], of format: AudioEffect.Format
  ) throws(RetrogradeError) {
    guard !effects.isEmpty else { return }
    let elements = AudioEffect.Place.allCases.flatMap { effects.elements($0, of: format) }
    try Pipeline(elements.joined(separator: " ! ")).insert(effects, format)
  }

  /// Inserts each effect at its placeholder, see ``Swift/Array/elements(_:of:)``. Call it before
  /// you start the pipeline.
  func insert(_ effects: [AudioEffect], _ format: AudioEffect.Format) throws(RetrogradeError) {
    for (index, effect) in effects.enumerated() {
      guard let inlet = element("effect\(index)"), let outlet = element("outlet\(index)") else {
        continue
      }
      let bin = try Self.bin(of: effect.elements)
      gst_bin_add(cast(pointer), bin)
      gst_element_unlink(inlet.pointer, outlet.pointer)
      guard gst_element_link(inlet.pointer, bin) != 0, gst_element_link(bin, outlet.pointer) != 0
      else {
        throw RetrogradeError(
          .effectUnusable,
          "The effect \"\(effect.elements)\" has to take and return \(format.channels)-channel floats "
            + "at \(format.rate) Hz; put \"audioconvert !\" before it or \"! audioconvert ! "
            + "audioresample\" after it, or choose another.")
      }
      effect.tap?.watch(bin)
      if effect.tail > .zero { Tail(effect.tail).add(to: inlet) }
    }
  }

  private static func bin(
    of elements: String
  ) throws(RetrogradeError) -> UnsafeMutablePointer<GstElement> {
    let context = gst_parse_context_new()
    defer { gst_parse_context_free(context) }
    var error: UnsafeMutablePointer<GError>?
    guard let bin = cgst_make_bin(elements, context, &error) else {
      throw Self.error(elements, error, adoptList(gst_parse_context_get_missing_elements(context)))
    }
    g_object_set_data_full(cast(bin), effectKey, g_strdup(elements), g_free)
    return bin
  }

  private static func error(
    _ elements: String, _ error: UnsafeMutablePointer<GError>?, _ missing: [String]
  ) -> RetrogradeError {
    // GStreamer 1.22 also lists an element as missing if it exists but a property is unknown
    let isMissing =
      error?.pointee.code == Int32(bitPattern: GST_PARSE_ERROR_NO_SUCH_ELEMENT.rawValue)
    let reason = consumeMessage(of: error)
    guard isMissing, let name = missing.first else {
      return RetrogradeError(
        .effectUnusable,
        "The effect \"\(elements)\" cannot be created; gst-inspect-1.0 lists the properties of an "
          + "element. (\(reason))")
    }
    guard elements.contains("\(name)/") else { return .missing(missing) }
    return RetrogradeError(
      .effectUnusable,
      "The effect \"\(elements)\" begins or ends with caps; write \"capsfilter caps=\(name)/…\".")
  }

  /// The key for an inserted bin's description of its elements.
  private static let effectKey = "retrograde-effect"

  /// The description of the effect that an object belongs to, if any.
  static func effect(of object: UnsafeMutablePointer<GstObject>?) -> String? {
    guard let object else { return nil }
    if let text = g_object_get_data(cast(object), effectKey) {
      return String(cString: text.assumingMemoryBound(to: CChar.self))
    }
    let parent = gst_object_get_parent(object)
    defer { if let parent { gst_object_unref(parent) } }
    return effect(of: parent)
  }
}

extension RetrogradeError {
  static func missing(_ elements: [String]) -> RetrogradeError {
    RetrogradeError(
      .elementMissing,
      "GStreamer has no element \"\(elements.joined(separator: ", "))\"; install the plugin "
        + "package that has it (on Debian one of gstreamer1.0-plugins-good, -bad, -ugly, -libav)."
    )
  }
}
