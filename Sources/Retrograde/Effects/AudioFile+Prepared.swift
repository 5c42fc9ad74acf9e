// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import FoundationEssentials

struct PreparedFile {
  let file: AudioFile
  let information: AudioInformation
  /// The temporary file, if we wrote one. It's deleted when you release the value.
  var part: PartFile?
}

extension AudioFile {
  /// Applies the effects that come before reversal and scaling. An echo depends on all the sound
  /// before it, so we have to run the whole file through these effects, forwards. We write the
  /// result to a temporary file and play that.
  func prepared(
    _ effects: [AudioEffect], _ information: AudioInformation
  ) async throws -> PreparedFile {
    guard effects.contains(.before) else {
      return PreparedFile(file: self, information: information)
    }
    let edit = AudioEdit(effects: effects)
    let encoding = try Encoding(OutputSettings(type: .wav), for: url)
    try checkSize(edit, information)
    let part = try PartFile(for: FilePath.newTemporary(".wav").url, replacingExisting: false)
    let elements =
      edit.elements(for: information)
      + ["audioconvert", "audio/x-raw,format=F32LE,layout=interleaved"]
      + ["wavenc", "fdsink fd=\(part.descriptor)"]
    let pipeline = try pipeline(elements.joined(separator: " ! "))
    try pipeline.insert(effects, edit.effectFormat(of: information))
    try await pipeline.run(of: self)
    try encoding.complete(
      part.descriptor, layout: information.layout, frames: 0, rate: information.rate)
    let copy = AudioFile(part.readable, called: label)
    return PreparedFile(file: copy, information: try await copy.information(), part: part)
  }

  private func checkSize(
    _ edit: AudioEdit, _ information: AudioInformation
  ) throws(RetrogradeError) {
    let seconds = ((information.duration ?? .zero) + edit.effects.tail(.before)).inSeconds
    let bytes = seconds * Double(information.rate) * Double(information.channels) * 4
    guard bytes > 4_294_960_000 else { return }
    throw error(
      .invalidArgument,
      "an effect before the reversal would need a copy of more than 4 GB for playback; "
        + "apply the effect after the reversal.")
  }
}

extension Pipeline {
  /// Runs the pipeline until the end of the stream or until the task is cancelled, and then stops
  /// it.
  fileprivate func run(of file: AudioFile) async throws {
    do {
      try await playToEnd(of: file)
    } catch {
      await stop()
      throw error
    }
    await stop()
  }
}
