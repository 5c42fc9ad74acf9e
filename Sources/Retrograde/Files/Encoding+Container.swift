// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

// What containers cannot hold, and what GStreamer leaves out of them.

extension Encoding {
  /// Throws where the file would be longer than its own header can say.
  func checkSize(of edit: Edit, _ input: AudioInformation) throws(RetrogradeError) {
    guard type == .wav || type == .aiff, input.duration != nil,
      let format = sampleFormat(for: input)
    else { return }
    let frames = input.duration(of: edit.region).inSeconds * Double(input.rate) * edit.factor
    let channels = edit.channels == .all ? input.channels : 1
    let bytes = frames * Double(channels * SampleFormat(format).bits / 8)
    guard bytes > 4_294_960_000 else { return }
    throw RetrogradeError(
      .outputUnsupported,
      "\(type.rawValue) holds 4 GB at most, and this would be \(Int(saturating: bytes / 1e9)) GB; "
        + "choose flac or mka.")
  }

  /// Puts the channels' places into the header of a WAV, where wavenc writes 0.
  func complete(_ file: URL, layout: [String]) {
    let header = ByteReader(file)
    guard type == .wav, layout.count > 2,
      header?.bytes(at: 20, count: 2) == [0xFE, 0xFF]  // extensible
    else { return }
    let bits = layout.compactMap(Self.places.firstIndex)
    guard bits.count == layout.count, bits == bits.sorted() else { return }
    var mask = bits.reduce(UInt32(0)) { $0 | 1 << $1 }.littleEndian
    let writer = open(file.path, O_WRONLY | O_CLOEXEC)
    guard writer >= 0 else { return }
    pwrite(writer, &mask, 4, 40)
    close(writer)
  }

  /// The bits of the mask, from the lowest.
  private static let places = [
    "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR",
    "TBL", "TBC", "TBR",
  ]
}
