// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

struct EffectFormat: Equatable {
  var rate: Int
  var channels: Int

  fileprivate var caps: String {
    "audio/x-raw,format=F32LE,layout=interleaved,rate=\(rate),channels=\(channels)"
  }
}

extension [AudioEffect] {
  /// Placeholders for the effects with this `place`, to use in a pipeline description.
  /// ``Pipeline/insert(_:_:)`` inserts each effect at its placeholder later. They accept audio in
  /// any format, and convert it to `format`.
  func elements(_ place: AudioEffect.Place, of format: EffectFormat) -> [String] {
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
    _ effects: [AudioEffect], of format: EffectFormat
  ) throws(RetrogradeError) {
    guard !effects.isEmpty else { return }
    let elements = AudioEffect.Place.allCases.flatMap { effects.elements($0, of: format) }
    try Pipeline(elements.joined(separator: " ! ")).insert(effects, format)
  }

  /// Inserts each effect after its placeholder, see ``Swift/Array/elements(_:of:)``. Call it before
  /// you start the pipeline.
  func insert(_ effects: [AudioEffect], _ format: EffectFormat) throws(RetrogradeError) {
    for (index, effect) in effects.enumerated() {
      guard let inlet = element([AudioEffect].inlet(index)) else { continue }
      let bin = try insert(effect.work.elements, after: inlet, format)
      if case .tap(let tap) = effect.work { tap.watch(bin) }
      if effect.tail > .zero {
        cgst_add_tail(inlet.pointer, GstClockTime(clamping: effect.tail.nanoseconds))
      }
    }
  }

  private func insert(
    _ elements: String, after inlet: Element, _ format: EffectFormat
  ) throws(RetrogradeError) -> UnsafeMutablePointer<GstElement> {
    let context = gst_parse_context_new()
    defer { gst_parse_context_free(context) }
    var (error, bin) = (
      UnsafeMutablePointer<GError>?.none, UnsafeMutablePointer<GstElement>?.none
    )
    let name = adopt(cgst_name(inlet.pointer))
    let outcome = cgst_insert(pointer, name, elements, context, &bin, &error)
    if let bin { return bin }
    // GStreamer 1.22 also lists an element as missing if it exists but a property is unknown
    let isMissing =
      error.map { $0.pointee.code == Int32(bitPattern: GST_PARSE_ERROR_NO_SUCH_ELEMENT.rawValue) }
    let missing = adoptList(gst_parse_context_get_missing_elements(context))
    let reason = error.map { consumeMessage(of: $0) }
    if let name = missing.first, isMissing == true {
      guard elements.contains("\(name)/") else { throw .missing(missing) }
      throw RetrogradeError(
        .effectUnusable,
        "The effect \"\(elements)\" begins or ends with caps; write \"capsfilter caps=\(name)/…\".")
    }
    throw RetrogradeError(
      .effectUnusable,
      "The effect \"\(elements)\" \(Self.sentence(for: outcome, format, reason))")
  }

  /// The end of an error message, which says what's wrong with the effect and what you can do.
  private static func sentence(
    for outcome: CGstInsertion, _ format: EffectFormat, _ reason: String?
  ) -> String {
    let example = "name elements that sound passes through, such as \"audioecho delay=250000000\"."
    let sound = "\(format.channels) channel\(format.channels == 1 ? "" : "s") at \(format.rate) Hz"
    switch outcome {
    case CGST_INSERTION_NO_INPUT: return "accepts no sound; \(example)"
    case CGST_INSERTION_NO_OUTPUT: return "outputs no sound; \(example)"
    case CGST_INSERTION_OTHER_INPUT:
      return "does not accept floats of \(sound); put \"audioconvert !\" before it, "
        + "or choose another."
    case CGST_INSERTION_OTHER_OUTPUT:
      return "changes the format of \(sound); put \"! audioconvert ! audioresample\" "
        + "after it, or choose another."
    default:
      return "cannot be created; gst-inspect-1.0 lists the properties of an element. "
        + "(\(reason ?? "the reason is not known."))"
    }
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
