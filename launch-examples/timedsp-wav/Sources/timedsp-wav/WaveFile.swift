// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Foundation

/// Offset and format of the audio in a WAV file.
struct WaveFile {
  struct NotAWave: Error, CustomStringConvertible {
    let description = "This is not a WAV file with PCM: choose another file."
  }

  let sampleRate: Int
  let channels: Int
  let frameBytes: Int
  /// The bytes that contain the audio: a whole number of frames.
  let audio: Range<Int>

  /// Reads the header, chunk by chunk, of a file with this many bytes.
  init(_ handle: FileHandle, bytes: Int) throws {
    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
      try handle.seek(toOffset: UInt64(offset))
      let data = try handle.read(upToCount: count) ?? Data()
      guard data.count == count else { throw NotAWave() }
      return [UInt8](data)
    }
    func number(_ bytes: ArraySlice<UInt8>) -> Int {
      bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    guard try read(4, at: 0) == Array("RIFF".utf8) else { throw NotAWave() }
    var offset = 12
    var form: [UInt8]?
    while true {
      let head = try read(8, at: offset)
      let size = number(head[4..<8])
      switch String(decoding: head[..<4], as: UTF8.self) {
      case "fmt ":
        form = try read(16, at: offset + 8)
      case "data":
        // 1 is integers, 3 is floats, and 0xFFFE is either, with more about the channels
        guard let form, [1, 3, 0xFFFE].contains(number(form[0..<2])) else { throw NotAWave() }
        channels = number(form[2..<4])
        sampleRate = number(form[4..<8])
        frameBytes = number(form[12..<14])
        guard frameBytes > 0 else { throw NotAWave() }
        let count = min(size, bytes - offset - 8) / frameBytes * frameBytes
        audio = offset + 8..<offset + 8 + count
        return
      default: break
      }
      offset += 8 + size + size % 2
    }
  }

  /// The header of a 16-bit file with this many bytes of audio.
  func header(audioBytes: Int) -> Data {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
    let (size, frame) = (UInt32(clamping: audioBytes), UInt16(clamping: 2 * channels))
    let rate = UInt32(clamping: sampleRate)
    var header = Array("RIFF".utf8) + bytes(36 &+ size) + Array("WAVEfmt ".utf8)
    header += bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(UInt16(clamping: channels))
    header += bytes(rate) + bytes(rate &* UInt32(frame)) + bytes(frame) + bytes(UInt16(16))
    return Data(header + Array("data".utf8) + bytes(size))
  }
}
