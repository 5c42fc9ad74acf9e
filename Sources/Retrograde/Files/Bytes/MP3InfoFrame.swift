// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The first frame of an MP3, which is silent and contains, for players, the number of frames, the
// position of each hundredth of them, and the length of the silence that the encoder has put around
// the sound: the header that Xing has invented and LAME extended
// (http://gabriel.mp3-tech.org/mp3infotag.html). It is written when all frames are there.
// GStreamer's xingmux makes it as well, but looks through a list of all frames for each one: twice
// the length takes four times as long.

/// The four bytes that every frame begins with (ISO 11172-3, 2.4.1.3; ISO 13818-3).
struct MP3FrameHeader {
  private let bytes: [UInt8]

  /// nil if no frame of layer 3 begins so.
  init?(_ bytes: some Collection<UInt8>) {
    self.bytes = Array(bytes.prefix(4))
    guard self.bytes.count == 4, self.bytes[0] == 0xFF, self.bytes[1] & 0xE6 == 0xE2,
      self.bytes[1] >> 3 & 3 != 1, (1...14).contains(bitRateIndex), rateIndex < 3
    else { return nil }
  }

  private var isMPEG1: Bool { bytes[1] >> 3 & 3 == 3 }
  private var isMono: Bool { bytes[3] >> 6 == 3 }
  private var rateIndex: Int { Int(clamping: bytes[2] >> 2 & 3) }
  var bitRateIndex: Int { Int(clamping: bytes[2] >> 4) }

  /// Frames of sound in each second.
  var rate: Int {
    [44_100, 48_000, 32_000][rateIndex] >> [2, 0, 1, 0][Int(clamping: bytes[1] >> 3 & 3)]
  }
  /// In kbit/s.
  var bitRate: Int { Self.bitRates[isMPEG1 ? 1 : 0][bitRateIndex] }
  /// Frames of sound in each of the MP3's.
  var length: Int { isMPEG1 ? 1152 : 576 }
  /// Number of bytes up to the next frame.
  var byteCount: Int { length / 8 * bitRate * 1000 / rate + Int(clamping: bytes[2] >> 1 & 1) }
  /// Number of its bytes that describe the next ones.
  var sideBytes: Int { isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17) }

  /// The same for a frame of this many bytes or more, without a checksum or padding.
  func grown(to count: Int) -> (header: MP3FrameHeader, bytes: [UInt8])? {
    for index in UInt8(1)...14 {
      let new = [bytes[0], bytes[1] | 1, bytes[2] & 0x0C | index << 4, bytes[3]]
      if let header = MP3FrameHeader(new), header.byteCount >= count { return (header, new) }
    }
    return nil
  }

  private static let bitRates = [
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ]
}

/// The content of the frame.
struct MP3InfoFrame {
  private let first: MP3FrameHeader
  /// Start of each frame, counted from the first one.
  private var offsets: [Int] = []
  private var isVariable = false
  private var musicChecksum: UInt16 = 0
  private var musicBytes = 0

  /// Silence that LAME puts before the sound, in addition to that of every decoder.
  private static let delay = 576

  /// Reads through all frames of a file, of which the first begins at the start of `frames`; nil if
  /// there is none.
  init?(_ frames: ByteRange) {
    guard let first = MP3FrameHeader(frames.prefix(4).bytes) else { return nil }
    self.first = first
    var rest = frames
    while let header = MP3FrameHeader(rest.prefix(4).bytes) {
      offsets.append(frames.count - rest.count)
      isVariable = isVariable || header.bitRateIndex != first.bitRateIndex
      rest = rest.dropFirst(header.byteCount)
    }
    musicBytes = frames.count
    rest = frames
    while let block = rest.take(min(rest.count, 1 << 20)), !block.isEmpty {
      musicChecksum = Self.checksum(block.bytes, musicChecksum)
    }
  }

  /// The bytes of the frame, for `frames` of sound at `rate`, that lie in those that follow.
  func bytes(frames: Int64, rate: Int) -> [UInt8] {
    let tagStart = 4 + first.sideBytes
    guard let (header, start) = first.grown(to: tagStart + 156) else { return [] }
    let total = header.byteCount + musicBytes
    var bytes = start + Array(repeating: 0, count: first.sideBytes)
    bytes += Array((isVariable ? "Xing" : "Info").utf8)
    bytes += Self.number(15, 4) + Self.number(offsets.count, 4) + Self.number(total, 4)
    bytes += table(after: header.byteCount, total: total) + Self.number(0, 4)
    bytes += Array("LAME3.100".utf8) + [isVariable ? 4 : 1]
    // neither its low-pass nor its loudness is known here
    bytes += Array(repeating: 0, count: 10) + [UInt8(clamping: first.bitRate)]
    bytes += Self.number(Self.delay << 12 | padding(frames: frames, rate: rate), 3)
    bytes +=
      Self.number(0, 4) + Self.number(total, 4) + Self.number(Int(clamping: musicChecksum), 2)
    bytes += Self.number(Int(clamping: Self.checksum(bytes, 0)), 2)
    return bytes + Array(repeating: 0, count: header.byteCount - bytes.count)
  }

  /// Byte position of each hundredth of the time, in 256ths of the file.
  private func table(after info: Int, total: Int) -> [UInt8] {
    (0..<100).map { percent in
      let offset = offsets[percent * offsets.count / 100] + info
      return UInt8(clamping: offset * 256 / max(total, 1))
    }
  }

  /// Silence at the end. The encoder may have chosen a rate below that of its input.
  private func padding(frames: Int64, rate: Int) -> Int {
    let encoded = Double(frames) * Double(first.rate) / Double(max(rate, 1))
    let silence = offsets.count * first.length - Self.delay - Int(saturating: encoded.rounded(.up))
    return min(max(silence, 0), 0xFFF)
  }

  /// Big endian.
  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// CRC-16 of x^16 + x^15 + x^2 + 1, the lowest bit first.
  private static func checksum(_ bytes: [UInt8], _ start: UInt16) -> UInt16 {
    bytes.withUnsafeBufferPointer { bytes in
      checksums.withUnsafeBufferPointer { table in
        bytes.reduce(start) { $0 >> 8 ^ table[Int(clamping: UInt8(truncatingIfNeeded: $0) ^ $1)] }
      }
    }
  }

  private static let checksums: [UInt16] = (0..<256).map { value in
    (0..<8).reduce(UInt16(clamping: value)) { sum, _ in sum & 1 != 0 ? sum >> 1 ^ 0xA001 : sum >> 1
    }
  }
}
