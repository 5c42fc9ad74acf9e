// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The first frame of an MP3 is silent and contains data for players: the number of frames, the
// position of each hundredth of the file, and the length of the silence that the encoder added.
// It's called the Xing header, and LAME has extended it
// (http://gabriel.mp3-tech.org/mp3infotag.html). We write this frame last. GStreamer's xingmux
// writes one as well, but it searches a list of all frames for each new frame, so it takes
// quadratic time.

/// The first four bytes of every frame (ISO 11172-3, 2.4.1.3. ISO 13818-3).
struct MP3FrameHeader {
  private let bytes: [UInt8]

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

  /// Sample rate in Hz.
  var rate: Int {
    [44_100, 48_000, 32_000][rateIndex] >> [2, 0, 1, 0][Int(clamping: bytes[1] >> 3 & 3)]
  }
  /// Bit rate in kbit/s.
  var bitRate: Int { Self.bitRates[isMPEG1 ? 1 : 0][bitRateIndex] }
  /// Audio frames per MP3 frame.
  var length: Int { isMPEG1 ? 1152 : 576 }
  var byteCount: Int { length / 8 * bitRate * 1000 / rate + Int(clamping: bytes[2] >> 1 & 1) }
  var sideBytes: Int { isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17) }

  /// A copy of this header without checksum or padding, with the lowest bit rate that gives a frame
  /// at least `count` bytes. `bytes` are the four bytes of the new header. Nil if no bit rate is
  /// high enough.
  func grown(to count: Int) -> (header: MP3FrameHeader, bytes: [UInt8])? {
    for index in UInt8(1)...14 {
      let new = [bytes[0], bytes[1] | 1, bytes[2] & 0x0C | index << 4, bytes[3]]
      if let header = MP3FrameHeader(new), header.byteCount >= count { return (header, new) }
    }
    return nil
  }

  /// In kbit/s, in ascending order.
  static func bitRates(of rate: Int) -> ArraySlice<Int> {
    bitRates[rate >= 32_000 ? 1 : 0].dropFirst()
  }

  private static let bitRates = [
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ]
}

struct MP3InfoFrame {
  private let first: MP3FrameHeader
  /// In bytes, relative to the first frame.
  private var offsets: [Int] = []
  private var isVariable = false
  private let musicBytes: Int

  /// The silence that LAME inserts before the sound, in frames. Every decoder adds its own delay.
  private static let delay = 576

  /// Reads all frames of a file. The first one must begin at the start of `frames`.
  init?(_ frames: ByteRange) {
    guard let first = MP3FrameHeader(frames.prefix(4).bytes) else { return nil }
    (self.first, musicBytes) = (first, frames.count)
    var rest = frames
    while let header = MP3FrameHeader(rest.prefix(4).bytes) {
      offsets.append(frames.count - rest.count)
      isVariable = isVariable || header.bitRateIndex != first.bitRateIndex
      rest = rest.dropFirst(header.byteCount)
    }
  }

  func bytes(frames: Int64, rate: Int) -> [UInt8] {
    let tagStart = 4 + first.sideBytes
    guard let (header, start) = first.grown(to: tagStart + 156) else { return [] }
    let total = header.byteCount + musicBytes
    var bytes = start + Array(repeating: 0, count: first.sideBytes)
    bytes += Array((isVariable ? "Xing" : "Info").utf8)
    bytes += Self.number(15, 4) + Self.number(offsets.count, 4) + Self.number(total, 4)
    bytes += table(after: header.byteCount, total: total) + Self.number(0, 4)
    bytes += Array("LAME3.100".utf8) + [isVariable ? 4 : 1]
    // we don't know the low-pass frequency or the loudness here
    bytes += Array(repeating: 0, count: 10) + [UInt8(clamping: first.bitRate)]
    bytes += Self.number(Self.delay << 12 | padding(frames: frames, rate: rate), 3)
    // nobody checks the checksum of the music
    bytes += Self.number(0, 4) + Self.number(total, 4) + Self.number(0, 2)
    bytes += Self.number(Self.checksum(bytes), 2)
    return bytes + Array(repeating: 0, count: header.byteCount - bytes.count)
  }

  /// The byte position of each hundredth of the duration, in 256ths of the file.
  private func table(after info: Int, total: Int) -> [UInt8] {
    (0..<100).map { percent in
      let offset = offsets[percent * offsets.count / 100] + info
      return UInt8(clamping: offset * 256 / max(total, 1))
    }
  }

  /// Length of the silence at the end, in frames. The encoder may have chosen a lower rate than its
  /// input's.
  private func padding(frames: Int64, rate: Int) -> Int {
    let encoded = Double(frames) * Double(first.rate) / Double(max(rate, 1))
    let silence = offsets.count * first.length - Self.delay - Int(saturating: encoded.rounded(.up))
    return min(max(silence, 0), 0xFFF)
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// CRC-16 with the polynomial x^16 + x^15 + x^2 + 1, lowest bit first.
  private static func checksum(_ bytes: [UInt8]) -> Int {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ Int(clamping: byte)) { sum, _ in sum >> 1 ^ (sum & 1 != 0 ? 0xA001 : 0) }
    }
  }
}
