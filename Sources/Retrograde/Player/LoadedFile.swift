// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

struct LoadedFile: Sendable {
  let file: AudioFile
  let pipeline: Pipeline
  let revbuf: Element
  let timescale: Element
  let format: (channels: Int, sample: String)
  let output: Element
  let playback = Playback()

  /// Describes the elements from `revbuf` to the last converter. Effects receive `format`. If there
  /// are effects, we scale in the sample format `floats`, as in rendered files.
  private static func elements(
    _ effects: [AudioEffect], _ format: AudioEffect.Format, scaledAs floats: String
  ) -> String {
    let elements = effects.elements(.after, of: format)
    return
      ([
        // the formats that `revbuf` can change the speed of
        "audioconvert dithering=none", "audio/x-raw,format={S16LE,S32LE,F32LE,F64LE}",
        "revbuf name=revbuf mode=seek", "audioconvert",
      ]
      + (elements.isEmpty ? [] : ["audio/x-raw,format=\(floats)"])
      + [
        "timescale name=timescale", "audioconvert name=picking", "capsfilter name=picked",
        "audioconvert",
      ] + elements + ["volume name=fader", "audioconvert", "audioresample name=last"])
      .joined(separator: " ! ")
  }

  /// If there are effects, we scale the sound in the sample format `floats`.
  init(
    _ file: AudioFile, _ information: AudioInformation, sink: String,
    effects: [AudioEffect], scaledAs floats: String
  ) throws(RetrogradeError) {
    self.file = file
    format = (information.channels, information.sampleFormat)
    let sound = AudioEffect.Format(rate: information.rate, channels: information.channels)
    pipeline = try file.pipeline(Self.elements(effects, sound, scaledAs: floats))
    try pipeline.insert(effects, sound)
    output = try Self.addOutput(sink, to: pipeline)
    (revbuf, timescale) = (try pipeline.known("revbuf"), try pipeline.known("timescale"))
    playback.watch(timescale)
  }

  private static func addOutput(
    _ sink: String, to pipeline: Pipeline
  ) throws(RetrogradeError) -> Element {
    var error: UnsafeMutablePointer<GError>?
    let made = gst_parse_bin_from_description_full(
      sink, 1, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
    if let made, let last = pipeline.element("last") {
      gst_bin_add(cast(pipeline.pointer), made)
      if gst_element_link(last.pointer, made) != 0 { return Element(sharing: made) }
    }
    let reason = error.map { consumeMessage(of: $0) } ?? "it accepts no audio."
    throw RetrogradeError.invalid(
      "The sink \"\(sink)\" cannot be used; choose another. (\(reason))")
  }

  /// The running time of the audio that you hear, in ns. It doesn't advance while the pipeline is
  /// paused.
  private var heard: Int64? {
    var (state, pending) = (GST_STATE_NULL, GST_STATE_NULL)
    gst_element_get_state(pipeline.pointer, &state, &pending, 0)
    let isPlaying = state == GST_STATE_PLAYING && pending == GST_STATE_VOID_PENDING
    return Duration(
      isPlaying
        ? gst_element_get_current_running_time(pipeline.pointer)
        : gst_element_get_start_time(pipeline.pointer))?.nanoseconds
  }

  /// What's being played, or nil before the first frame. At the end of the stream, that's the last
  /// frame, even if the sink hasn't waited for the clock.
  func played(isAtEnd: Bool) -> (position: Duration, direction: Direction)? {
    let heard = heard ?? 0
    return playback { $0.played(at: isAtEnd ? $0.reached ?? 0 : heard) }
      .map { (.nanoseconds($0.position), $0.direction) }
  }

  /// The running time when the sound ran out, in ns, or nil if there's more to play or the stream
  /// has ended.
  var starvedSince: Int64? {
    guard let now = heard else { return nil }
    return playback { $0.isComplete || now <= $0.reached ?? 0 ? nil : $0.reached ?? 0 }
  }

  /// True if the output contains this element. It's "fake-audio-sink" if GStreamer hasn't found a
  /// device.
  func outputs(to name: String) -> Bool {
    guard let element = cgst_bin_get(output.pointer, name) else { return false }
    gst_object_unref(element)
    return true
  }
}
