// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials
import Glibc

// Size limits of containers, and data that GStreamer doesn't write to them.

extension Encoding {
  /// Switches to RF64 if the audio is too long for a WAV header. Throws if it's too long for an
  /// AIFF header.
  func fitted(
    to edit: AudioEdit, of input: AudioInformation
  ) throws(RetrogradeError) -> Encoding {
    guard codec == .pcm, type == .wav || type == .aiff, input.duration != nil,
      let format = sampleFormat(for: input)
    else { return self }
    let tail = edit.effects.tail(.before).scaled(by: edit.factor) + edit.effects.tail(.after)
    let frames = (input.duration(after: edit) + tail).inSeconds * Double(input.rate)
    let channels = edit.channels.count(of: input)
    let bytes = frames * Double(channels * SampleFormat(format).bits / 8)
    guard bytes > 4_294_960_000 else { return self }
    var encoding = self
    encoding.isLong = type == .wav
    if encoding.isLong { return encoding }
    throw RetrogradeError(
      .outputUnsupported,
      "\(type.rawValue) holds 4 GB at most, and this would be \(Int(saturating: bytes / 1e9)) GB; "
        + "choose wav, flac or mka.")
  }

  /// Leaves room for the header of an RF64. fdsink starts writing at the beginning of a seekable file
  /// unless it appends.
  func begin(_ file: Int32) {
    guard isLong else { return }
    ftruncate(file, off_t(clamping: WaveFormat.longHeaderBytes))
    _ = fcntl(file, F_SETFL, O_APPEND)
  }

  /// Adds the data that we only know at the end. `file` is the descriptor of the new file. `frames`
  /// is how many frames were encoded, at `rate`. `format` is their format if we write the header
  /// ourselves.
  func complete(
    _ file: Int32, layout: [String], frames: Int64, rate: Int, format: WaveFormat? = nil
  ) throws(RetrogradeError) {
    if isLong, let format, let count = ByteReader(descriptor: file)?.count {
      let header = format.longHeader(
        dataBytes: count - WaveFormat.longHeaderBytes, frames: frames)
      _ = fcntl(file, F_SETFL, 0)
      pwrite(file, header, header.count, 0)
    }
    if type == .wav { Self.complete(wav: file, layout: layout) }
    guard type == .mp3, let reader = ByteReader(descriptor: file) else { return }
    let music = reader.all.dropFirst(reader.all.id3Bytes)
    guard let info = MP3InfoFrame(music) else { return }
    try insert(info.bytes(frames: frames, rate: rate), into: file, at: music.offset)
  }

  /// The format of a WAV with this encoding.
  func waveFormat(of input: AudioInformation, _ edit: AudioEdit = AudioEdit()) -> WaveFormat {
    WaveFormat(
      sample: sampleFormat(for: input) ?? "F32LE", rate: UInt32(clamping: rate(for: input)),
      channels: UInt16(clamping: min(edit.channels.count(of: input), maxChannels)))
  }

  /// Inserts bytes at a position in a file. Moves the data after it in blocks, starting with the
  /// last one.
  private func insert(
    _ new: [UInt8], into file: Int32, at start: Int
  ) throws(RetrogradeError) {
    guard let reader = ByteReader(descriptor: file) else { return }
    var end = reader.count
    var isWritten = true
    while end > start, isWritten {
      let position = max(end - (1 << 20), start)
      let bytes = reader.all.dropFirst(position).prefix(end - position).bytes
      isWritten =
        pwrite(file, bytes, bytes.count, off_t(clamping: position + new.count)) == end - position
      end = position
    }
    if isWritten, pwrite(file, new, new.count, off_t(clamping: start)) == new.count { return }
    throw RetrogradeError.unwritable(
      "The new file cannot be completed (\(String(cString: strerror(errno)))); make room on the disk."
    )
  }

  /// Writes the channel mask into the header of a WAV or RF64. wavenc writes 0 there.
  static func complete(wav file: Int32, layout: [String]) {
    guard layout.count > 2,
      let bytes = ByteReader(descriptor: file)?.all
    else { return }
    let format = bytes.has("RF64") ? 56 : 20
    guard bytes.number(at: format, count: 2) == 0xFEFF else { return }  // extensible
    let bits = layout.compactMap(channelPositions.firstIndex)
    guard bits.count == layout.count, bits == bits.sorted() else { return }
    var mask = bits.reduce(UInt32(0)) { $0 | 1 << $1 }.littleEndian
    pwrite(file, &mask, 4, off_t(clamping: format + 20))
  }

  /// In the order of the mask's bits, lowest first.
  private static let channelPositions = [
    "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR",
    "TBL", "TBC", "TBR",
  ]
}
