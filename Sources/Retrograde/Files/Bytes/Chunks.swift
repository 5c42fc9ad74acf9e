// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A chunk of a WAV or AIFF.
struct Chunk {
  let name: String
  /// The declared size of the content, which may be cut off.
  let size: Int
  /// Begins with the content of the chunk, and goes on to the end of the file.
  let content: ByteRange

  var isOpen: Bool { name == "data" && size == 0 }
  /// Where the content should end. Sound of unknown length extends to the end of the file.
  var end: Int { isOpen ? .max : content.end(of: size) }
}

extension ByteRange {
  var isWave: Bool { (has("RIFF") || has("RF64")) && has("WAVE", at: 8) }

  /// Removes and returns the first chunk. A chunk that's cut off, or sound of unknown length,
  /// extends to the end of the file.
  mutating func consumeChunk(isBigEndian: Bool) -> Chunk? {
    guard let name = name(at: 0), let size = number(at: 4, count: 4, isBigEndian: isBigEndian)
    else { return nil }
    let chunk = Chunk(name: name, size: size, content: dropFirst(8))
    // chunks begin at even positions
    self = chunk.isOpen ? suffix(0) : chunk.content.dropFirst(size).dropFirst(size % 2)
    return chunk
  }

  /// The chunks of a whole WAV, or of an AIFF, which is big-endian.
  func chunks(isBigEndian: Bool = false) -> some Sequence<Chunk> {
    dropFirst(12).parts { $0.consumeChunk(isBigEndian: isBigEndian) }
  }

  /// The header of the sound, or nil if this isn't a WAV.
  var waveHeader: ByteRange? { isWave ? chunks().first { $0.name == "fmt " }?.content : nil }

  var waveFormat: Int? { waveHeader?.number(at: 0, count: 2, isBigEndian: false) }
}

extension ByteReader {
  /// The names of the chunks in a WAV or AIFF that GStreamer doesn't read.
  var unreadChunks: [String] {
    let isAIFF = all.has("FORM")
    // if we correct the header, GStreamer doesn't read what follows the sound
    let after = headerCorrection.map { all.dropFirst($0.end + $0.end % 2) } ?? all.suffix(0)
    var found = after.parts { $0.consumeChunk(isBigEndian: isAIFF) }.prefix(20).map(\.name)
    guard isAIFF || all.has("RIFF") else { return found }
    let known: Set<String> =
      isAIFF
      ? ["COMM", "SSND", "FVER", "PEAK"]
      : [
        "fmt ", "data", "fact", "LIST", "cue ", "acid", "JUNK", "junk", "PAD ", "FLLR", "PEAK",
      ]
    for chunk in all.chunks(isBigEndian: isAIFF)
    where !known.contains(chunk.name) && !found.contains(chunk.name) {
      found.append(chunk.name)
      if found.count == 20 { break }
    }
    return found
  }
}
