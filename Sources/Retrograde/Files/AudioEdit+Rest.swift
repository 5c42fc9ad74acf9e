// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Editing a region, which may keep the audio before and after it.

extension AudioEdit {
  var placedRegion: Range<Duration>? { keepsRest ? region : nil }

  /// The edits that make up the new file. If the rest of the file is kept, extra edits copy the
  /// audio before and after the region.
  func parts(of input: AudioInformation) -> [AudioEdit] {
    guard let region = placedRegion else { return [self] }
    // the sound may be longer than declared
    let isLast = region.upperBound >= input.duration ?? .longest
    return [
      AudioEdit(region: .zero..<region.lowerBound, channels: channels), self,
      AudioEdit(
        region: region.upperBound..<(isLast ? region.upperBound : .longest), channels: channels),
    ].filter { $0.region?.isEmpty == false }
  }

  /// The elements from the decoder to the elements `rest`. If the rest of the file is kept, each
  /// part has a branch, and `concat` reads one after another.
  func chain(for input: AudioInformation, into rest: String) -> String {
    let cutting = region != nil && speedCurve == nil
    // timestamps begin at 0
    let inlet = channelElements(of: input) + (cutting ? ["identity single-segment=true"] : [])
    let parts = parts(of: input)
    let chains = parts.enumerated().map { index, part in
      (cutting ? ["identity name=cut\(index)"] : []) + part.elements(for: input)
    }
    guard chains.count > 1 else {
      return (inlet + chains.joined() + [rest]).joined(separator: " ! ")
    }
    // all branches need the same format
    let format =
      isScaled || !effects.isEmpty
      ? ["audioconvert", "audio/x-raw,format=\(input.floatFormat)"] : []
    let branches = zip(parts, chains).map { part, chain in
      let effects = part.effects.elements(.after, of: effectFormat(of: input))
      // concat blocks each branch until the previous one has ended
      let waiting = ["identity drop-allocation=true", "queue", "joint."]
      return " split. ! " + (chain + effects + format + waiting).joined(separator: " ! ")
    }
    return (inlet + ["tee name=split"]).joined(separator: " ! ")
      + " concat name=joint ! \(rest)" + branches.joined()
  }

  /// Converts a time in the edited audio to a time in the result. Both are relative to the
  /// beginning of the edited audio.
  func scaled(_ moment: Duration) -> Duration {
    timeMap?.output(of: moment, factor: factor) ?? moment.scaled(by: factor)
  }
}

extension AudioInformation {
  func duration(usedBy edit: AudioEdit) -> Duration {
    duration(of: edit.keepsRest ? nil : edit.region)
  }

  /// The duration that `edit` uses, not counting the time before the first frame, since a file's
  /// sound may begin late.
  func sound(usedBy edit: AudioEdit) -> Duration { duration(usedBy: edit) - late(for: edit) }

  func late(for edit: AudioEdit) -> Duration {
    let first = edit.placedRegion == nil ? edit.region?.lowerBound ?? .zero : .zero
    return min(max(start - first, .zero), duration(usedBy: edit))
  }

  /// Duration of the output, or 0 if unknown.
  package func duration(after edit: AudioEdit) -> Duration {
    if let curve = edit.speedCurve {
      return .seconds(
        saturating: curve.duration(in: sound(usedBy: edit).inSeconds, rate: rate))
    }
    guard let duration, let region = edit.placedRegion?.clamped(to: .zero..<duration) else {
      return edit.scaled(duration(of: edit.region))
    }
    let length = region.upperBound - region.lowerBound
    return duration - length + length.scaled(by: edit.factor)
  }
}

extension Double {
  var roundedToMilliseconds: Double { (self * 1000).rounded() / 1000 }
}
