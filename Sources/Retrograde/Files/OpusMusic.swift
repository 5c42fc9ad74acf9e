// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Which decoder a file of Opus is left to. opusdec decodes all that Opus has, by libopus, into 16
// bits. avdec_opus, FFmpeg's decoder, needs a third of the time and gives floats, but it is right
// for music alone: what is coded as speech (by SILK) gets spikes of twice its height in FFmpeg 5.1,
// and becomes something else after each seek. It does not see the gain in the header either. So
// all packets are looked at.

extension ByteReader {
  /// Whether the file is Ogg with one stream of Opus, of one or two channels at 48 kHz, without a
  /// gain, and every packet is music (coded by CELT). Reads all of it.
  var isOpusMusic: Bool {
    guard let first = OggPage(bytes(at: 0, count: OggPage.mostBytes)[...]),
      let head = first.packets.first, Self.isPlainHead(Array(head))
    else { return false }
    var (place, packets) = (0, 0)
    while place < count {
      let block = bytes(at: place, count: 1 << 20)
      var used = 0
      while let page = OggPage(block[used...]) {
        guard page.stream == first.stream else { return false }
        for packet in page.packets {
          // two headers come first; the first bit of a packet tells CELT (RFC 6716, section 3.1)
          guard packets < 2 || (packet.first ?? 0) >= 0x80 else { return false }
          packets += 1
        }
        used = page.end
      }
      guard used > 0 else { return false }
      place += used
    }
    return packets > 2
  }

  /// Of an identification header (RFC 7845, section 5.1).
  private static func isPlainHead(_ head: [UInt8]) -> Bool {
    guard head.count >= 19, head.prefix(8).elementsEqual("OpusHead".utf8) else { return false }
    let rate = head[12..<16].reversed().reduce(0) { $0 << 8 | Int(clamping: $1) }
    let (gain, family) = (head[16..<18], head[18])
    // at the rate of a lower input, opusdec decodes less
    return gain.allSatisfy { $0 == 0 } && family == 0 && rate > 36_000
  }
}
