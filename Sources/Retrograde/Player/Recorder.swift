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

  /// Records the output of `sink`, an appsink, from now on.
  func record(_ sink: Element) {
    cgst_record(
      sink.pointer,
      { info, channelMask, bytes, size, data in
        guard let info, let bytes, let data else { return 0 }
        let recorder = Unmanaged<Recorder>.fromOpaque(data).takeUnretainedValue()
        let format = WaveFormat(info, channelMask: channelMask)
        return recorder.write(
          UnsafeRawBufferPointer(start: bytes, count: Int(clamping: size)), format)
          ? 1 : 0
      }, Unmanaged.passRetained(self).toOpaque(),
      { data in if let data { Unmanaged<Recorder>.fromOpaque(data).release() } })
  }

  func close() { file.withLock { $0.close() } }

  private func write(_ bytes: UnsafeRawBufferPointer, _ format: WaveFormat) -> Bool {
    file.withLock { $0.append(bytes, format) }
  }
}
