// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc
import Synchronization

/// Writes what a sink plays into a new WAV file. The lengths in the header are updated every
/// second: if the program crashes, less than a second is lost.
final class Recorder: Sendable {
  private let file: Mutex<WaveFile>
  /// Format of the recording as GStreamer caps: the format of the first file that is played.
  let caps: String

  /// Creates the file. Throws if it exists.
  init(_ url: URL, like information: AudioInformation) throws(RetrogradeError) {
    let known = ["U8", "S16LE", "S24LE", "S32LE", "F32LE", "F64LE"]
    let format = known.contains(information.sampleFormat) ? information.sampleFormat : "F32LE"
    caps =
      "audio/x-raw,format=\(format),layout=interleaved,rate=\(information.rate),"
      + "channels=\(information.channels)"
    file = Mutex(try WaveFile(url))
  }

  /// Writes the output of `sink`, an appsink, from now on.
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

  /// Completes the file.
  func close() { file.withLock { $0.close() } }

  private func write(_ bytes: UnsafeRawBufferPointer, _ format: WaveFormat) -> Bool {
    file.withLock { $0.append(bytes, format) }
  }
}
