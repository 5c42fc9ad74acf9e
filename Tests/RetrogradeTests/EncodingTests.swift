// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

private func information(_ sampleFormat: String) -> AudioInformation {
  AudioInformation(
    duration: .seconds(1), rate: 48_000, channels: 2, layout: ["FL", "FR"],
    sampleFormat: sampleFormat, isLossy: false, codec: "PCM", tags: AudioTags())
}

/// The expected sample formats of lossless files, for each input format. The expectations follow
/// from the specifications of the containers. WAV has unsigned 8-bit samples, and signed samples of
/// more bits. AIFF has big-endian integers. FLAC has at most 24 bits.
private let formats: [(String, [String: String])] = [
  ("U8", ["wav": "U8", "aiff": "S16BE", "flac": "S16LE", "m4a": "S16LE"]),
  ("S8", ["wav": "U8", "aiff": "S16BE", "flac": "S16LE", "m4a": "S16LE"]),
  ("S16LE", ["wav": "S16LE", "aiff": "S16BE", "flac": "S16LE", "m4a": "S16LE"]),
  ("S16BE", ["wav": "S16LE", "aiff": "S16BE", "flac": "S16LE", "m4a": "S16LE"]),
  ("S24LE", ["wav": "S24LE", "aiff": "S24BE", "flac": "S24LE", "m4a": "S32LE"]),
  ("S24_32LE", ["wav": "S24LE", "aiff": "S24BE", "flac": "S24LE", "m4a": "S32LE"]),
  ("S32LE", ["wav": "S32LE", "aiff": "S32BE", "flac": "S24LE", "m4a": "S32LE"]),
  ("F32LE", ["wav": "F32LE", "aiff": "S32BE", "flac": "S24LE", "m4a": "S32LE"]),
  ("F64LE", ["wav": "F64LE", "aiff": "S32BE", "flac": "S24LE", "m4a": "S32LE"]),
]

@Test(arguments: formats)
func losslessFileKeepsAsManyBitsAsItsTypeCan(input: String, expected: [String: String]) throws {
  for (name, format) in expected {
    let settings = OutputSettings(codec: name == "m4a" ? .alac : nil)
    let encoding = try Encoding(settings, for: URL(fileURLWithPath: "/a.\(name)"))
    #expect(encoding.sampleFormat(for: information(input)) == format, "\(input) in \(name)")
  }
}

@Test(arguments: ["mp3", "ogg", "opus", "m4a"])
func lossyEncoderChoosesTheFormatItself(name: String) throws {
  let encoding = try Encoding(OutputSettings(), for: URL(fileURLWithPath: "/a.\(name)"))
  #expect(encoding.sampleFormat(for: information("S24LE")) == nil)
}

@Test func losslessCodecsReturnTheirInput() {
  #expect(OutputSettings.Codec.allCases.filter(\.isLossless) == [.pcm, .flac, .alac])
}
