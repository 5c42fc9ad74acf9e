// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc
import Synchronization

/// Writes what a sink plays to a new WAV file. We update the lengths in the header every second, so
/// you lose less than a second if the program crashes.
final class Recorder: Sendable {
  private let file: Mutex<WaveFile>
  let caps: String

  init(_ url: URL, like information: AudioInformation) throws(RetrogradeError) {
    let known = ["U8", "S16LE", "S24LE", "S32LE", "F32LE", "F64LE"]
    let format = known.contains(information.sampleFormat) ? information.sampleFormat : "F32LE"
    caps =
      "audio/x-raw,format=\(format),layout=interleaved,rate=\(information.rate),"
      + "channels=\(information.channels)"
    file = Mutex(try WaveFile(url))
  }

  /// Records what `sink`, an appsink, plays from now on, in the streaming thread.
  func record(_ sink: Element) {
    var callbacks = GstAppSinkCallbacks()
    callbacks.new_sample = { sink, data in
      guard let sink, let data, let sample = gst_app_sink_pull_sample(sink) else {
        return GST_FLOW_EOS
      }
      defer { gst_sample_unref(sample) }
      if Unmanaged<Recorder>.fromOpaque(data).takeUnretainedValue().write(sample) {
        return GST_FLOW_OK
      }
      gst_element_message_full(
        cast(sink), GST_MESSAGE_ERROR, gst_resource_error_quark(),
        gint(bitPattern: GST_RESOURCE_ERROR_WRITE.rawValue),
        g_strdup("The recording cannot be written."), nil, #fileID, #function, #line)
      return GST_FLOW_ERROR
    }
    gst_app_sink_set_callbacks(
      cast(sink.pointer), &callbacks, Unmanaged.passRetained(self).toOpaque(),
      { data in if let data { Unmanaged<Recorder>.fromOpaque(data).release() } })
  }

  func close() { file.withLock { $0.close() } }

  private func write(_ sample: OpaquePointer) -> Bool {
    guard let caps = gst_sample_get_caps(sample), let info = GstAudioInfo(caps) else {
      return false
    }
    var mask: guint64 = 0
    _ = cgst_channel_mask(gst_caps_get_structure(caps, 0), &mask)
    let format = WaveFormat(info, channelMask: mask)
    return gst_sample_get_buffer(sample)?.withBytes { bytes in
      file.withLock { $0.append(UnsafeRawBufferPointer(bytes), format) }
    } ?? false
  }
}
