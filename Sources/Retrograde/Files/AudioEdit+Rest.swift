// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Editing a region in place, which keeps the audio before and after it.

extension AudioEdit {
  var placedRegion: Range<Duration>? { keepsRest ? region : nil }

  /// The edits that make up the new file. If the rest of the file is kept, extra edits copy the
  /// audio before and after the region.
  func parts(
    of input: AudioInformation
  ) -> (before: AudioEdit?, edited: AudioEdit, after: AudioEdit?) {
    guard let region = placedRegion else { return (nil, self, nil) }
    let inner = region.onFrames(of: input.rate)
    let end = input.duration ?? .seconds(1_000_000_000)
    return (
      rest(.zero, inner.lowerBound), edited(inner), rest(inner.upperBound, end)
    )
  }

  private func edited(_ region: Range<Duration>) -> AudioEdit {
    var edit = self
    edit.region = region
    return edit
  }

  private func rest(_ start: Duration, _ stop: Duration) -> AudioEdit? {
    guard start < stop else { return nil }
    var edit = AudioEdit(region: start..<stop, channels: channels)
    edit.seam = seam
    return edit
  }

  /// Converts a time in the edited audio to a time in the result. Both are relative to the
  /// beginning of the edited audio.
  func scaled(_ moment: Duration) -> Duration {
    timeMap?.output(of: moment, factor: factor) ?? moment.scaled(by: factor)
  }

  /// Converts an input time to an output time for a region that's edited in place but not reversed.
  func moment(_ time: Duration, around region: Range<Duration>) -> Duration {
    if time <= region.lowerBound { return time }
    let inside = min(time, region.upperBound) - region.lowerBound
    return region.lowerBound + inside.scaled(by: factor) + max(time - region.upperBound, .zero)
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
    guard let region = edit.placedRegion, let duration else {
      return edit.scaled(duration(of: edit.region))
    }
    return edit.moment(duration, around: region.clamped(to: .zero..<duration))
  }
}

extension Double {
  var roundedToMilliseconds: Double { (self * 1000).rounded() / 1000 }
}

extension Range<Duration> {
  /// Rounds both ends to frame boundaries, because neighbouring parts mustn't share a frame.
  fileprivate func onFrames(of rate: Int) -> Self {
    func edge(_ time: Duration) -> Duration {
      let frame = (time / .seconds(1) * Double(rate)).rounded()
      return frame <= 0 ? .zero : .seconds(saturating: frame / Double(rate))
    }
    return edge(lowerBound)..<Swift.max(edge(upperBound), edge(lowerBound))
  }
}

struct Branch {
  /// A suffix for the names of the branch's elements.
  var mark = ""
  var elements: [String]
  var region: Range<Duration>?
}

extension AudioEdit {
  /// If the rest of the file is kept, several branches read the input.
  func branches(of input: AudioInformation) -> [Branch] {
    let parts = parts(of: input)
    func branch(_ edit: AudioEdit, _ mark: String) -> Branch {
      var elements = edit.elements(for: input)
      elements += edit.effects.elements(.after, of: effectFormat(of: input))
      // all branches need the same format
      if isScaled || !effects.isEmpty {
        elements += ["audioconvert", "audio/x-raw,format=\(input.floatFormat)"]
      }
      return Branch(mark: mark, elements: elements, region: edit.region)
    }
    return [
      parts.before.map { branch($0, "-before") }, branch(parts.edited, ""),
      parts.after.map { branch($0, "-after") },
    ].compactMap { $0 }
  }
}
