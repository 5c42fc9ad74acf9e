// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// ffprobe's description of the audio in a file.
private struct Probe: Decodable {
  struct Stream: Decodable {
    var sampleRate: String
    var channels: Int
    var codecName: String
    var duration: String
  }
  var streams: [Stream]

  init(_ url: URL) throws {
    let report = try output(
      of: "ffprobe", "-v", "error", "-of", "json", "-select_streams", "a", "-show_streams",
      url.path)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Probe.self, from: report)
  }
}

/// FFmpeg's names of codecs, and GStreamer's names for the same codecs.
private let codecNames = [
  "mp3": "MPEG-1 Layer 3 (MP3)", "flac": "Free Lossless Audio Codec (FLAC)",
  "aac": "MPEG-4 AAC", "vorbis": "Vorbis", "opus": "Opus", "pcm_s16be": "PCM", "pcm_s16le": "PCM",
]

@Test(arguments: Sounds.names)
func informationIsThatOfFFprobe(name: String) async throws {
  let file = Sounds.file(name)
  let information = try await file.information()
  let probe = try Probe(file.url)
  let stream = try #require(probe.streams.first)
  #expect(information.rate == Int(stream.sampleRate))
  #expect(information.channels == stream.channels)
  let codec = try #require(codecNames[stream.codecName])
  #expect(information.codec.contains(codec), "\(information.codec)")
  #expect(information.isLossy == ["mp3", "aac", "vorbis", "opus"].contains(stream.codecName))
  if stream.codecName.hasPrefix("pcm") || stream.codecName == "flac" {
    #expect(information.sampleFormat.hasPrefix("S16"))
  }
  // the duration may include the delay of an encoder: at most two MP3 packets
  let duration = try #require(information.duration).inSeconds
  let tolerance = information.isLossy ? 2 * 1152 / Double(information.rate) + 0.01 : 1e-6
  #expect(try abs(duration - #require(Double(stream.duration))) <= tolerance)
}

@Test(arguments: [
  ("speech.wav", ["M"]), ("sample.mp3", ["FL", "FR"]),
  ("surround.flac", ["FL", "FR", "FC", "LFE", "BL", "BR"]),
  ("surround.ogg", ["FL", "FR", "FC", "LFE", "BL", "BR"]),
  ("surround.m4a", ["FL", "FR", "FC", "LFE", "BL", "BR"]),
])
func channelsAreNamed(name: String, places: [String]) async throws {
  #expect(Set(try await Sounds.file(name).information().layout) == Set(places))
}

@Test func framesFollowFromTheDuration() async throws {
  // the number of frames according to FFmpeg
  #expect(try await Sounds.file("sample.flac").information().frames == 221_234)
  #expect(try await Sounds.file("short.aiff").information().frames == 66_167)
  #expect(try await Sounds.file("speech.wav").information().frames == 39_322)
}

@Test func informationOfNoAudioIsOneSentence() async throws {
  let folder = try TestFolder()
  let empty = try folder.touch("empty.wav")
  let cases: [(URL, RetrogradeError.Code)] = [
    (folder.file("missing.mp3"), .inputUnreadable), (folder.url, .inputUnreadable),
    (empty, .inputUnreadable),
  ]
  for (url, code) in cases {
    let error = await #expect(throws: RetrogradeError.self) {
      try await AudioFile(url).information()
    }
    #expect(error?.code == code)
    #expect(error?.message.hasPrefix("\(url.lastPathComponent): ") == true)
  }
}

@Test func aFileThatHasChangedIsReadAgain() async throws {
  let folder = try TestFolder()
  let file = AudioFile(folder.file("changing.wav"))
  for name in ["short.wav", "speech.wav"] {
    try Data(contentsOf: Sounds.file(name).url).write(to: file.url)
    let information = try await file.information()
    let stream = try #require(try Probe(Sounds.file(name).url).streams.first)
    #expect(information.channels == stream.channels)
    #expect(
      try abs(#require(information.duration).inSeconds - #require(Double(stream.duration))) < 1e-6)
    #expect(try await file.information() == information)
  }
  try FileManager.default.removeItem(at: file.url)
  let error = await #expect(throws: RetrogradeError.self) { try await file.information() }
  #expect(error?.code == .inputUnreadable)
}

/// An MP4 in which the next box has these bytes, followed by 64 zeros.
private func malformed(_ box: [UInt8]) -> Data {
  Data([0, 0, 0, 20] + Array("ftypM4A ".utf8) + [0, 0, 0, 0] + Array("M4A ".utf8) + box)
    + Data(count: 64)
}

/// If a demuxer fails before decodebin has linked its pads, decodebin drops the error once in ten
/// to twenty times.
@Test func noErrorOfADemuxerIsLost() async throws {
  let content = malformed([0, 0, 0, 15] + Array("moov".utf8))
  let folder = try TestFolder()
  let file = folder.file("malformed.m4a")
  try content.write(to: file)
  for _ in 0..<300 {
    let error = await #expect(throws: RetrogradeError.self) {
      try await AudioFile(file).information()
    }
    try #require(error?.message.contains("the file is damaged, or holds no audio") == true)
  }
}
