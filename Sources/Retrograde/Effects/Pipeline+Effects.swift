// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioEffect.Format {
  fileprivate var caps: String {
    "audio/x-raw,format=F32LE,layout=interleaved,rate=\(rate),channels=\(channels)"
  }
}

extension [AudioEffect] {
  /// Placeholders for the effects with this `place`, to use in a pipeline description.
  /// ``Pipeline/insert(_:_:)`` inserts each effect at its placeholder later. They accept audio in
  /// any format, and convert it to `format`.
  func elements(_ place: AudioEffect.Place, of format: AudioEffect.Format) -> [String] {
    enumerated().filter { $0.element.place == place }.flatMap { index, _ in
      [
        "audioconvert", "audioresample quality=10",
        "capsfilter name=\(Self.inlet(index)) caps=\"\(format.caps)\"", "audioconvert",
      ]
    }
  }

  fileprivate static func inlet(_ index: Int) -> String { "effect\(index)" }
}

extension AudioEffect.Work {
  fileprivate var elements: String {
    switch self {
    case .elements(let description): description
    case .tap: Tap.elements
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

  /// Inserts each effect after its placeholder, see ``Swift/Array/elements(_:of:)``. Call it before
  /// you start the pipeline.
  func insert(_ effects: [AudioEffect], _ format: AudioEffect.Format) throws(RetrogradeError) {
    for (index, effect) in effects.enumerated() {
      guard let inlet = element([AudioEffect].inlet(index)) else { continue }
      let bin = try insert(effect.work.elements, after: inlet, format)
      if case .tap(let tap) = effect.work { tap.watch(bin) }
      if effect.tail > .zero { Tail(effect.tail).add(to: inlet) }
    }
  }

  private func insert(
    _ elements: String, after inlet: Element, _ format: AudioEffect.Format
  ) throws(RetrogradeError) -> UnsafeMutablePointer<GstElement> {
    let context = gst_parse_context_new()
    defer { gst_parse_context_free(context) }
    var error: UnsafeMutablePointer<GError>?
    guard let bin = cgst_make_bin(elements, context, &error) else {
      throw Self.error(elements, error, adoptList(gst_parse_context_get_missing_elements(context)))
    }
    g_object_set_data_full(cast(bin), Self.effectKey, g_strdup(elements), g_free)
    gst_bin_add(cast(pointer), bin)
    if let complaint = Self.link(Element(sharing: bin), after: inlet, format) {
      throw RetrogradeError(.effectUnusable, "The effect \"\(elements)\" \(complaint)")
    }
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

  /// Links the bin between the inlet and the element after it. Returns the end of an error message,
  /// which says what's wrong with the effect and what you can do, if they don't fit.
  private static func link(
    _ bin: Element, after inlet: Element, _ format: AudioEffect.Format
  ) -> String? {
    let example = "name elements that sound passes through, such as \"audioecho delay=250000000\"."
    let sound = "\(format.channels) channel\(format.channels == 1 ? "" : "s") at \(format.rate) Hz"
    guard let before = gst_element_get_static_pad(inlet.pointer, "src") else { return nil }
    defer { gst_object_unref(before) }
    guard let after = gst_pad_get_peer(before) else { return nil }
    defer { gst_object_unref(after) }
    gst_pad_unlink(before, after)
    let input = bin.withPad("sink") { gst_pad_link(before, $0) == GST_PAD_LINK_OK }
    guard let input else { return "accepts no sound; \(example)" }
    let output = bin.withPad("src") { !input || link($0, after, format) }
    guard let output else { return "outputs no sound; \(example)" }
    guard input else {
      return "does not accept floats of \(sound); put \"audioconvert !\" before it, "
        + "or choose another."
    }
    return output
      ? nil
      : "changes the format of \(sound); put \"! audioconvert ! audioresample\" "
        + "after it, or choose another."
  }

  /// Any sample format will do, because audioconvert follows.
  private static func link(
    _ output: UnsafeMutablePointer<GstPad>, _ after: UnsafeMutablePointer<GstPad>,
    _ format: AudioEffect.Format
  ) -> Bool {
    guard let given = gst_pad_query_caps(output, nil) else { return false }
    defer { gst_caps_unref(given) }
    let wanted = "audio/x-raw,rate=\(format.rate),channels=\(format.channels)"
    guard let wanted = gst_caps_from_string(wanted) else { return false }
    defer { gst_caps_unref(wanted) }
    return gst_caps_can_intersect(given, wanted) != 0
      && gst_pad_link(output, after) == GST_PAD_LINK_OK
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
