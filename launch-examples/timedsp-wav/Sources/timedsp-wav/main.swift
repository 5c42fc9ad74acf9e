// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reverses or stretches a WAV file with TimeDSP, without GStreamer, on any system with Swift:
// `swift run timedsp-wav reverse song.wav reversed.wav`. With `stretch` instead of `reverse`,
// it makes the file 1.5 times as long and keeps the pitch.

import Foundation
import TimeDSP

/// Reverses the samples of a WAV file in memory, integers of any size. Everything else in the file
/// is copied.
func reverse(_ input: URL, to output: URL) throws {
  var bytes = [UInt8](try Data(contentsOf: input))
  let wave = try WaveFile(FileHandle(forReadingFrom: input), bytes: bytes.count)
  var audio = Array(bytes[wave.audio])
  try FrameReversal(frameBytes: wave.frameBytes).reverse(&audio)
  bytes.replaceSubrange(wave.audio, with: audio)
  try Data(bytes).write(to: output)
}

/// Makes 16-bit PCM 1.5 times as long at the same pitch, block by block.
func stretch(_ input: URL, to output: URL) throws {
  let file = try FileHandle(forReadingFrom: input)
  let wave = try WaveFile(file, bytes: Int(file.seekToEnd()))
  guard wave.frameBytes == 2 * wave.channels else { throw WaveFile.NotAWave() }

  var scaler = try TimeScaler<Int16>(
    factor: 1.5, sampleRate: wave.sampleRate, channels: wave.channels)
  var samples: [Int16] = []
  try file.seek(toOffset: UInt64(wave.audio.lowerBound))
  var left = wave.audio.count
  while left > 0 {
    let data = try file.read(upToCount: min(left, 4096 * wave.frameBytes)) ?? Data()
    guard data.count > 0, data.count.isMultiple(of: wave.frameBytes) else { break }
    left -= data.count
    samples += try scaler.process(data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) })
  }
  samples += try scaler.finish()

  let header = wave.header(audioBytes: 2 * samples.count)
  try (header + samples.withUnsafeBytes { Data($0) }).write(to: output)
}

let works = ["reverse": reverse, "stretch": stretch]
let arguments = CommandLine.arguments
guard arguments.count == 4, let work = works[arguments[1]] else {
  print("usage: timedsp-wav reverse|stretch FILE.wav NEW.wav")
  exit(2)
}
do {
  try work(URL(fileURLWithPath: arguments[2]), URL(fileURLWithPath: arguments[3]))
} catch {
  print(error)
  exit(1)
}
