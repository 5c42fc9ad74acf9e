// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

private let music =
  "0.4*sin((900+40*t)*t)+0.1*random(0)|0.4*sin((700+30*t)*t)+0.1*random(1)"
private let speech = "(0.5+0.5*sin(5*t))*(0.3*sin((900+100*sin(3*t))*t)+0.02*random(0))"

/// A sound of 7.0125 s, encoded by FFmpeg.
private func opus(
  in folder: TestFolder, _ name: String, _ sound: String = music, rate: Int = 48_000,
  options: String = "-b:a 128k"
) throws -> AudioFile {
  let file = folder.file(name)
  let words = options.split(separator: " ").map(String.init)
  try output(
    of: ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=\(sound):s=\(rate):d=7.0125"]
      + ["-c:a", "libopus"] + words + [file.path])
  return AudioFile(file)
}

private func isMusic(_ file: AudioFile) throws -> Bool {
  let reader = try #require(ByteReader(file.url))
  return try #require(reader.isOpusMusic as Bool?)
}

/// The samples of the reversed file equal the samples that FFmpeg decodes, in reverse order, bit
/// for bit.
@Test(
  arguments: ["-b:a 128k", "-b:a 64k -ac 1 -frame_duration 60"]
    + (isLong ? ["-frame_duration 2.5", "-application lowdelay -b:a 24k", "-vbr off"] : []))
func opusMusicEqualsFFmpeg(options: String) async throws {
  let folder = try TestFolder()
  let song = try opus(in: folder, "song.opus", options: options)
  #expect(try isMusic(song))
  #expect(try await song.information().sampleFormat == "F32LE")
  let target = folder.file("reversed.wav")
  try await song.reverse(to: target)
  let channels = options.contains("-ac 1") ? 1 : 2
  let forward = try samplesByFFmpeg(song.url)
  let frames = stride(from: forward.count - channels, through: 0, by: -channels)
  let expected = frames.flatMap { forward[$0..<$0 + channels] }
  let isSame = try samplesByFFmpeg(target) == expected
  #expect(isSame)
  #expect(expected.count / channels == 336_600)
}

private let otherOpus = [
  // some packets of this file contain speech, others music
  ("both.opus", speech, "-ac 1 -b:a 24k -application voip"),
  ("louder.opus", music, "-bsf:a opus_metadata=gain=512"),
  ("speech.opus", speech, "-ac 1 -b:a 16k -application voip"),
  ("surround.opus", "\(music)|\(speech)|\(music)|\(speech):c=5.1", "-b:a 256k"),
  ("song.webm", music, "-b:a 128k"), ("song.mp4", music, "-b:a 128k"),
]

/// Files that avdec_opus rejects or decodes wrongly are decoded by opusdec. The samples equal those
/// that libopus decodes to 16 bits.
@Test(arguments: isLong ? otherOpus : Array(otherOpus.prefix(2)))
func otherOpusEqualsLibopus(name: String, sound: String, options: String) async throws {
  let folder = try TestFolder()
  let song = try opus(in: folder, name, sound, options: options)
  #expect(try !isMusic(song))
  let information = try await song.information()
  #expect(information.sampleFormat == "S16LE")
  // the stream is decoded only once, because libopus does not decode speech to the same samples
  // twice
  let target = folder.file("reversed.wav")
  try await song.render(
    AudioEdit(direction: .reverse), to: target)
  func decode(_ file: URL, _ decoder: [String]) throws -> [Int16] {
    try output(of: ["ffmpeg", "-v", "error"] + decoder + ["-i", file.path, "-f", "s16le", "-"])
      .withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
  }
  // libopus is used with the same setting as in opusdec
  let there = try decode(song.url, ["-c:a", "libopus", "-apply_phase_inv", "0"])
  let here = try decode(target, [])
  // FFmpeg plays one packet more of an MP4 than GStreamer
  let (channels, frames) = (information.channels, here.count / information.channels)
  try #require(frames > 330_000 && there.count >= here.count)
  let differences = (0..<frames).flatMap { frame in
    (0..<channels).map { channel -> Int in
      let mirrored = (frames - 1 - frame) * channels + channel
      return abs(Int(there[frame * channels + channel]) - Int(here[mirrored]))
    }
  }
  // opusdec rounds samples both before and after it applies the gain
  #expect((differences.max() ?? .max) <= (name == "louder.opus" ? 2 : 0))
}

/// The rate of an Opus file that was encoded from a sound at 16 kHz is 16 kHz, because the sound
/// has no higher frequencies.
@Test func opusOfALowRateStaysThat() async throws {
  let folder = try TestFolder()
  let song = try opus(in: folder, "low.opus", rate: 16_000, options: "-application lowdelay")
  #expect(try !isMusic(song))
  #expect(try await song.information().rate == 16_000)
}

@Test func opusThatIsNotOneWholeStreamIsNotMusic() throws {
  let folder = try TestFolder()
  let song = try opus(in: folder, "song.opus")
  let bytes = try Data(contentsOf: song.url)
  let odd = folder.file("odd.opus")
  func isMusic(_ bytes: Data) throws -> Bool {
    try bytes.write(to: odd)
    let reader = try #require(ByteReader(odd))
    return try #require(reader.isOpusMusic as Bool?)
  }
  #expect(try isMusic(bytes))
  #expect(try !isMusic(bytes + bytes))  // chained
  #expect(try !isMusic(bytes.dropLast()))
  #expect(try !isMusic(bytes + Data([0])))
  #expect(try !isMusic(bytes.prefix(100)))
  #expect(try !isMusic(Data()))
  #expect(try !isMusic(try Data(contentsOf: Sounds.file("sample.ogg").url)))
}

/// The library chooses the decoder when it reads the file, by the content of the file at that time.
@Test func aFileThatBecomesSpeechIsDecodedAsThat() async throws {
  let folder = try TestFolder()
  let file = try opus(in: folder, "file.opus")
  #expect(try await file.information().sampleFormat == "F32LE")
  let options = "-ac 1 -b:a 16k -application voip"
  let other = try opus(in: folder, "other.opus", speech, options: options)
  try FileManager.default.removeItem(at: file.url)
  try FileManager.default.moveItem(at: other.url, to: file.url)
  #expect(try await file.information().sampleFormat == "S16LE")
}
