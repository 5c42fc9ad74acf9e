// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Choosing the decoder for an Opus file. opusdec (libopus) decodes any Opus to 16-bit samples.
// avdec_opus (FFmpeg) takes a third of the time and outputs floats, but it's only correct for
// music. In FFmpeg 5.1, audio that's coded as speech (SILK) has spikes of twice its amplitude, and
// comes out different after each seek. avdec_opus also ignores the gain in the header. So we check
// the header and all packets.

extension ByteReader {
  /// True for Ogg with a single mono or stereo Opus stream, without a gain, encoded from input
  /// above 36 kHz, if every packet is music (CELT). Reads the whole file. Nil if the task is
  /// cancelled.
  var isOpusMusic: Bool? {
    var (rest, stream, packets) = (all, Int?.none, 0)
    while !rest.isEmpty {
      if Task.isCancelled { return nil }
      guard let page = rest.consumeOggPage() else { return false }
      if packets == 0 {
        guard let head = page.packets.first, Self.isPlainHead(head) else { return false }
        stream = page.stream
      }
      guard page.stream == stream else { return false }
      for packet in page.packets {
        // The first two packets are headers. The first bit of a packet is set for CELT (RFC 6716,
        // section 3.1).
        guard packets < 2 || (packet[0] ?? 0) >= 0x80 else { return false }
        packets += 1
      }
    }
    return packets > 2
  }

  /// True if avdec_opus supports everything that this identification header (RFC 7845, section 5.1)
  /// asks for.
  private static func isPlainHead(_ head: ByteRange) -> Bool {
    guard head.has("OpusHead"), let rate = head.number(at: 12, count: 4, isBigEndian: false),
      let gain = head.number(at: 16, count: 2), let family = head[18]
    else { return false }
    // opusdec decodes a narrower band if the input had a lower rate
    return gain == 0 && family == 0 && rate > 36_000
  }
}
