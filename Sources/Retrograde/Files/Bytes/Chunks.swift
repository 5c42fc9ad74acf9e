// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension ByteRange {
  /// Removes the first chunk of a WAV or AIFF and returns its name. A chunk that's cut off, or
  /// sound of unknown length, extends to the end of the file.
  mutating func consumeChunk(isBigEndian: Bool) -> String? {
    guard let name = name(at: 0), let size = number(at: 4, count: 4, isBigEndian: isBigEndian)
    else { return nil }
    let content = dropFirst(8)
    // chunks begin at even positions
    let isOpen = name == "data" && size == 0
    self = isOpen ? suffix(0) : content.dropFirst(size).dropFirst(size % 2)
    return name
  }
}

extension ByteRange {
  /// The header of the sound, or nil if this isn't a WAV.
  var waveHeader: ByteRange? {
    guard has("RIFF") || has("RF64"), has("WAVE", at: 8) else { return nil }
    let chunks = dropFirst(12).parts { (rest: inout ByteRange) -> (name: String, ByteRange)? in
      let content = rest.dropFirst(8)
      return rest.consumeChunk(isBigEndian: false).map { ($0, content) }
    }
    return chunks.first { $0.name == "fmt " }?.1
  }

  var waveFormat: Int? { waveHeader?.number(at: 0, count: 2, isBigEndian: false) }
}

extension ByteReader {
  /// True if there's a LIST chunk before the sound that's too short for a list type. `wavparse`
  /// would keep reading it for ever.
  var hasShortList: Bool {
    guard all.has("RIFF") || all.has("RF64"), all.has("WAVE", at: 8) else { return false }
    let areShort = all.dropFirst(12).parts { (rest: inout ByteRange) -> Bool? in
      let size = rest.number(at: 4, count: 4, isBigEndian: false) ?? 4
      let name = rest.consumeChunk(isBigEndian: false)
      return name == nil || name == "data" ? nil : name == "LIST" && size < 4
    }
    return areShort.contains(true)
  }

  /// The names of the chunks in a WAV or AIFF that GStreamer doesn't read.
  var unreadChunks: [String] {
    let isAIFF = all.has("FORM")
    // if we correct the header, GStreamer doesn't read what follows the sound
    let after = headerCorrection.map { all.dropFirst($0.end + $0.end % 2) } ?? all.suffix(0)
    var found = Array(after.parts { $0.consumeChunk(isBigEndian: isAIFF) }.prefix(20))
    guard isAIFF || all.has("RIFF") else { return found }
    let known: Set<String> =
      isAIFF
      ? ["COMM", "SSND", "FVER", "PEAK"]
      : [
        "fmt ", "data", "fact", "LIST", "cue ", "acid", "JUNK", "junk", "PAD ", "FLLR", "PEAK",
      ]
    for name in all.dropFirst(12).parts({ $0.consumeChunk(isBigEndian: isAIFF) })
    where !known.contains(name) && !found.contains(name) {
      found.append(name)
      if found.count == 20 { break }
    }
    return found
  }
}
