// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

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
      "\(type.rawValue) holds 4 GB at most, and this would be \(Int(bytes / 1e9)) GB; "
        + "choose flac or mka.")
  }

  /// Puts the channels' places into the header of a WAV, where wavenc writes 0.
  func complete(_ file: URL, layout: [String]) {
    guard type == .wav, layout.count > 2, let header = try? FileHandle(forUpdating: file) else {
      return
    }
    defer { try? header.close() }
    let isExtensible = Data([0xFE, 0xFF])
    let bits = layout.compactMap(Self.places.firstIndex)
    guard bits.count == layout.count, bits == bits.sorted(),
      (try? header.seek(toOffset: 20)) != nil, (try? header.read(upToCount: 2)) == isExtensible,
      (try? header.seek(toOffset: 40)) != nil
    else { return }
    let mask = bits.reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
    try? header.write(contentsOf: withUnsafeBytes(of: mask.littleEndian) { Data($0) })
  }

  /// The bits of the mask, from the lowest.
  private static let places = [
    "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR",
    "TBL", "TBC", "TBR",
  ]
}
