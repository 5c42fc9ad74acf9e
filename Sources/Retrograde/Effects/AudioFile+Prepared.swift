// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// Applies the effects that come before reversal and scaling. An echo depends on all the sound
  /// before it, so we have to run the whole file through these effects, forwards. We write the
  /// result to a temporary file and play that. It's deleted when you release `part`.
  func prepared(
    _ effects: [AudioEffect], _ information: AudioInformation
  ) async throws -> (file: AudioFile, information: AudioInformation, part: PartFile?) {
    guard effects.contains(.before) else { return (self, information, nil) }
    var floats = information
    (floats.sampleFormat, floats.sampleBits) = ("F32LE", nil)
    let part = try await copied(AudioEdit(effects: effects), of: information, as: floats)
    let copy = AudioFile(part.readable, label: label)
    return (copy, try await copy.information(), part)
  }
}
