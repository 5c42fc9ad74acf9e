// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// The samples of a WAV, and its headers.
struct WaveFormat: Equatable {
  /// GStreamer's name of the sample format.
  var sample: String
  var rate: UInt32
  var channels: UInt16
  private var channelMask: UInt32 { channels == 2 ? 3 : channels == 1 ? 4 : 0 }
  private var bits: UInt16 { UInt16(clamping: SampleFormat.bytes(of: sample) * 8) }

  var caps: String {
    "audio/x-raw,format=\(sample),layout=interleaved,rate=\(rate),channels=\(channels)"
  }

  static let headerBytes = 68

  /// Clamped, because a file may declare anything.
  var frameBytes: Int { Int(clamping: channels) * Int(clamping: bits / 8) }
  var bytesPerSecond: Int { frameBytes * Int(clamping: rate) }

  static let longHeaderBytes = headerBytes + 36

  /// The header of an RF64 (EBU Tech 3306), which has 64-bit lengths.
  func longHeader(dataBytes: Int, frames: Int64) -> [UInt8] {
    var header = Array("RF64".utf8)
    header += [0xFF, 0xFF, 0xFF, 0xFF]
    header += Array("WAVEds64".utf8)
    header += UInt32(28).littleEndian.bytes
    header += UInt64(clamping: dataBytes + Self.longHeaderBytes - 8).littleEndian.bytes
    header += UInt64(clamping: dataBytes).littleEndian.bytes
    header += UInt64(clamping: frames).littleEndian.bytes
    header += UInt32(0).littleEndian.bytes
    return header + self.header(dataBytes: 0)[12...].dropLast(4) + Array(repeating: 0xFF, count: 4)
  }

  /// The header of a WAV, which declares 4 GB at most.
  func header(dataBytes: Int) -> [UInt8] {
    let frameBytes = UInt16(clamping: self.frameBytes)
    var header = Array("RIFF".utf8)
    header += UInt32(clamping: dataBytes + Self.headerBytes - 8).littleEndian.bytes
    header += Array("WAVEfmt ".utf8)
    header += UInt32(40).littleEndian.bytes + [0xFE, 0xFF]
    header += channels.littleEndian.bytes
    header += rate.littleEndian.bytes
    header += UInt32(clamping: bytesPerSecond).littleEndian.bytes
    header += frameBytes.littleEndian.bytes + bits.littleEndian.bytes
    header += UInt16(22).littleEndian.bytes + bits.littleEndian.bytes
    header += channelMask.littleEndian.bytes
    header += [SampleFormat(sample).isFloat ? 3 : 1, 0]
    header += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    header += Array("data".utf8)
    header += UInt32(clamping: dataBytes).littleEndian.bytes
    return header
  }
}
