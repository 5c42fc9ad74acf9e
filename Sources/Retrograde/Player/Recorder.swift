// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

/// A new WAV file for what a player plays. fdsink writes the samples, and ``close()`` completes the
/// header. Until then, the header declares the most that it can, so that readers go on to the end of
/// the file if the program has crashed.
final class Recorder: Sendable {
  private let descriptor: Int32
  private let format: WaveFormat
  private let path: FilePath
  private let layout: [String]

  init(_ url: URL, like information: AudioInformation) throws(RetrogradeError) {
    (path, layout) = (FilePath(url), information.layout)
    format = try Encoding(OutputSettings(type: .wav), for: url).waveFormat(of: information)
    descriptor = open(path.cString, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw errno == EEXIST
        ? RetrogradeError(.outputExists, "\(path): it already exists; choose another name.")
        : RetrogradeError.unwritable(
          "\(path): it cannot be written; choose another folder. (\(String(cString: strerror(errno))))"
        )
    }
    put(format.header(dataBytes: Int(clamping: UInt32.max)))
  }

  deinit { Glibc.close(descriptor) }

  /// The sink of a pipeline whose sound goes into the file. It doesn't dither, so that samples are
  /// rounded like in a rendered file.
  var elements: String {
    "audioconvert dithering=none ! audioresample ! capsfilter caps=\"\(format.caps)\" "
      + "! fdsink fd=\(descriptor) sync=true"
  }

  /// Removes a file without samples.
  func close() {
    let dataBytes = (ByteReader(descriptor: descriptor)?.count ?? 0) - WaveFormat.headerBytes
    guard dataBytes > 0 else {
      unlink(path.cString)
      return
    }
    _ = fcntl(descriptor, F_SETFL, 0)
    put(format.header(dataBytes: dataBytes))
    Encoding.complete(wav: descriptor, layout: layout)
  }

  private func put(_ header: [UInt8]) { pwrite(descriptor, header, header.count, 0) }
}
