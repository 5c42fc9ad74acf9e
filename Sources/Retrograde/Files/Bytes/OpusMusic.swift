// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The choice of the decoder for a file of Opus. opusdec decodes all kinds of Opus, by libopus, into
// 16 bits. avdec_opus, FFmpeg's decoder, needs a third of the time and outputs floats, but it is
// right for music alone: audio that is coded as speech (by SILK) gets spikes of twice its height in
// FFmpeg 5.1, and differs after each seek. It ignores the gain in the header, too. So all packets
// are examined.

extension ByteReader {
  /// Whether the file is Ogg with one stream of Opus, of one or two channels at 48 kHz, without a
  /// gain, and every packet is music (coded by CELT). Reads all of it; nil if the task was
  /// cancelled meanwhile.
  var isOpusMusic: Bool? {
    var (rest, stream, packets) = (all, Int?.none, 0)
    while !rest.isEmpty {
      if Task.isCancelled { return nil }
      guard let page = rest.takeOggPage() else { return false }
      if packets == 0 {
        guard let head = page.packets.first, Self.isPlainHead(head) else { return false }
        stream = page.stream
      }
      guard page.stream == stream else { return false }
      for packet in page.packets {
        // two headers come first; the first bit of a packet is set for CELT (RFC 6716, section 3.1)
        guard packets < 2 || (packet[0] ?? 0) >= 0x80 else { return false }
        packets += 1
      }
    }
    return packets > 2
  }

  /// Whether an identification header (RFC 7845, section 5.1) is plain.
  private static func isPlainHead(_ head: ByteRange) -> Bool {
    guard head.has("OpusHead"), let rate = head.number(at: 12, count: 4, isBigEndian: false),
      let gain = head.number(at: 16, count: 2), let family = head[18]
    else { return false }
    // at the rate of a lower input, opusdec decodes less
    return gain == 0 && family == 0 && rate > 36_000
  }
}
