// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

private func input(
  _ container: String?, _ storage: OutputSettings.Codec?, bitRate: Int? = nil, rate: Int = 44_100,
  channels: Int = 2
) -> AudioInformation {
  AudioInformation(
    duration: .seconds(1), rate: rate, channels: channels, layout: [], sampleFormat: "S16LE",
    isLossy: storage.map { !$0.isLossless } ?? true, container: container, codec: "",
    bitRate: bitRate, tags: AudioTags(), storage: storage)
}

private let types: [(String?, OutputSettings.Codec?, OutputSettings.FileType)] = [
  ("WAV", .pcm, .wav),
  ("Audio Interchange File Format (AIFF)", .pcm, .aiff),
  ("Ogg", .vorbis, .ogg), ("Ogg", .flac, .ogg), ("Ogg", .opus, .opus), ("Ogg", nil, .ogg),
  ("Matroska", .aac, .mka), ("WebM", .opus, .mka), ("ISO MP4/M4A", .aac, .m4a),
  ("ISO MP4/M4A", .alac, .m4a), ("Quicktime", .aac, .m4a), (nil, .flac, .flac), (nil, .mp3, .mp3),
  ("ID3 tag", .mp3, .mp3), (nil, .aac, .m4a), (nil, nil, .flac), ("Core Audio Format", .pcm, .flac),
  ("ISO MP4/M4A", nil, .flac),
]

@Test(arguments: types)
func typeOfTheOutputIsThatOfTheInput(
  container: String?, storage: OutputSettings.Codec?, type: OutputSettings.FileType
) {
  #expect(OutputSettings.FileType.same(as: input(container, storage)) == type)
}

private let codecs: [(String?, OutputSettings.Codec?, String, OutputSettings.Codec?)] = [
  ("ISO MP4/M4A", .alac, "m4a", .alac), ("ISO MP4/M4A", .alac, "mp4", .alac),
  ("Ogg", .flac, "ogg", .flac), ("Ogg", .opus, "ogg", .opus), ("Matroska", .mp3, "mka", .mp3),
  // if the type differs from that of the input, its default codec is used
  (nil, .flac, "ogg", nil), ("Ogg", .opus, "mka", nil), (nil, .mp3, "mka", nil),
  ("Matroska", nil, "mka", nil),
]

@Test(arguments: codecs)
func codecIsKeptInTheInputsOwnType(
  container: String?, storage: OutputSettings.Codec?, name: String, codec: OutputSettings.Codec?
) {
  let settings = OutputSettings().completed(by: input(container, storage), extension: name)
  #expect(settings.codec == codec)
  let named = OutputSettings(codec: .pcm).completed(by: input(container, storage), extension: name)
  #expect(named.codec == .pcm)
}

@Test func bitRateIsTheInputsWhereTheCodecIs() {
  func rate(
    _ settings: OutputSettings = OutputSettings(), of input: AudioInformation, to name: String,
    _ channels: AudioEdit.Channels = .all, same: Bool = false
  ) -> Int? {
    settings.completed(by: input, extension: name, channels: channels, sameBitRate: same).bitRate
  }
  let song = input(nil, .mp3, bitRate: 192_000)
  #expect(rate(of: song, to: "mp3") == 192_000)
  #expect(rate(of: song, to: "mp3", .merged) == 96_000)
  #expect(rate(OutputSettings(bitRate: 64_000), of: song, to: "mp3") == 64_000)
  #expect(rate(of: song, to: "opus") == nil)
  #expect(rate(of: song, to: "opus", same: true) == 192_000)
  #expect(rate(of: song, to: "flac", same: true) == nil)
  let flac = input(nil, .flac, bitRate: 900_000)
  #expect(rate(of: flac, to: "m4a") == nil)
  #expect(rate(of: flac, to: "m4a", same: true) == 512_000)
  #expect(rate(of: input(nil, .mp3), to: "mp3") == nil)
}

/// LAME lowers the sample rate at low bit rates. According to measurements, it does so at 44.1 kHz
/// below 112 kbit/s in stereo and 64 kbit/s in mono, and at 48 kHz below 128 and 64 kbit/s.
@Test(arguments: [(44_100, 2, 112), (48_000, 2, 128), (44_100, 1, 64), (48_000, 1, 64)])
func bitRateOfMP3IsNotSoLowThatTheSampleRateFalls(rate: Int, channels: Int, least: Int) {
  let song = input(nil, .mp3, bitRate: 32_000, rate: rate, channels: channels)
  let chosen = OutputSettings().completed(by: song, extension: "mp3").bitRate ?? 0
  #expect(chosen >= least * 1000)
  #expect(chosen < least * 1300)
}

@Test func vorbisBeyondItsLargestBitRateIsAQuality() throws {
  func elements(_ bitRate: Int, channels: Int) throws -> String {
    try Encoding(OutputSettings(bitRate: bitRate), for: URL(fileURLWithPath: "/a.ogg"))
      .elements(for: input("Ogg", .vorbis, channels: channels), channels: channels)
  }
  #expect(try elements(192_000, channels: 2).contains("bitrate=192000"))
  #expect(try elements(320_000, channels: 2).contains("quality=0.9"))
  #expect(try elements(512_000, channels: 6).contains("quality=0.6"))
}
