// Retrograde
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation
import Testing

@testable import Retrograde

/// A folder for one test of effects. It contains `song`, a WAV file with samples of type `Float`,
/// and the files that the test writes.
struct EffectDesk {
  let folder: TestFolder
  let song: AudioFile
  /// Interleaved samples of two channels.
  let samples: [Float]

  /// Creates `song` from `short.wav` (1.5 s, stereo), with these options of FFmpeg.
  init(_ options: [String] = []) throws {
    folder = try TestFolder()
    let url = folder.file("song.wav")
    try output(
      of: ["ffmpeg", "-v", "error", "-i", Sounds.file("short.wav").url.path] + options + [
        "-c:a", "pcm_f32le", url.path,
      ])
    song = AudioFile(url)
    samples = try samplesByFFmpeg(url)
  }

  func exported(
    _ edit: AudioEdit, settings: OutputSettings = OutputSettings()
  ) async throws -> [Float] {
    let url = folder.file("\(UUID().uuidString).wav")
    try await song.render(edit, to: url, settings: settings)
    return try samplesByFFmpeg(url)
  }

  /// Returns the output of a player with the settings of the edit, from the beginning to the end.
  func played(_ edit: AudioEdit) async throws -> [Float] {
    let url = folder.file("\(UUID().uuidString).wav")
    let sink = "audioconvert ! audio/x-raw,format=F32LE ! wavenc ! filesink location=\(url.path)"
    let player = AudioPlayer(sink: .custom(sink), effects: edit.effects)
    await player.setDirection(edit.direction)
    await player.change { $0.factor = edit.factor }
    await player.change { $0.pitch = edit.pitch }
    try await player.open(song)
    await player.play()
    #expect(await player.waitForEnd())
    await player.close()
    return try samplesByFFmpeg(url)
  }
}

extension [Float] {
  /// Returns each sample plus `intensity` times the sample `delay` frames earlier. The result has
  /// `tail` more frames.
  func echoed(delay: Int, intensity: Float = 0.5, channels: Int = 2, tail: Int = 0) -> [Float] {
    (0..<count + tail * channels).map { index in
      let before = index - delay * channels
      let echo = indices.contains(before) ? self[before] : 0
      return (indices.contains(index) ? self[index] : 0) + intensity * echo
    }
  }

  func framesBackwards(channels: Int) -> [Float] {
    stride(from: count - channels, through: 0, by: -channels).flatMap { self[$0..<$0 + channels] }
  }

  /// The largest difference between two samples, or infinity if the lengths differ.
  func distance(to other: [Float]) -> Float {
    guard count == other.count else { return .infinity }
    return zip(self, other).reduce(0) { Swift.max($0, abs($1.0 - $1.1)) }
  }
}
