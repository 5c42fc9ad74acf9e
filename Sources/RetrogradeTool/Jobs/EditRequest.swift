// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import ArgumentParser
import Retrograde

/// The edit that the user asks for. We can only apply ``last`` and ``length`` once we know how long
/// the file is.
struct EditRequest: Sendable {
  var edit = AudioEdit()
  /// Use only this much of the end of the file. If nil, the region of `edit` applies.
  var last: Duration?
  var mapFile: FilePath?
  /// The wanted length of the new file or of its region. If nil, the factor of `edit` applies.
  var length: Duration?

  /// The edit for one file.
  ///
  /// Throws if we need to know how long the file is and can't tell, or if the requested length
  /// would take a factor out of range. The error calls the file `name`.
  func edit(
    for input: AudioInformation, named name: String
  ) throws(RetrogradeError) -> AudioEdit {
    guard last != nil || length != nil else { return edit }
    guard let duration = input.duration else {
      throw RetrogradeError.unreadable(
        "\(name): its length is not known; use --region and --factor, or convert it into "
          + "another type first.")
    }
    guard duration > .zero || length == nil else {
      throw RetrogradeError(
        .inputNotAudio,
        "\(name): it is empty, or so short that its length is not known; choose another file, or use --factor."
      )
    }
    var edit = edit
    if let last, duration > .zero { edit.region = max(duration - last, .zero) ..< .longest }
    guard let length else { return edit }
    let used = edit.region.map { $0.clamped(to: .zero..<duration) } ?? .zero..<duration
    let frames = (used.upperBound - used.lowerBound) / .seconds(1) * Double(input.rate)
    // n frames become ⌊n × factor⌋, so we add half a frame to stop rounding errors from losing one
    let wanted = (length / .seconds(1) * Double(input.rate)).rounded() + 0.5
    do {
      edit.factor = try ScaleFactor(wanted / max(frames.rounded(), 1))
    } catch {
      throw RetrogradeError.invalid(
        "\(name): it is \((used.upperBound - used.lowerBound).preciseClock) long, and can be made 0.01 "
          + "to 100 times as long; choose another length.")
    }
    return edit
  }
}

extension EditRequest {
  /// The options that `reverse` and `scale` share. They aren't one group of their own, because a debug
  /// build validates nested groups again at each level, which takes 0.3 s a call.
  ///
  /// Throws if options contradict each other, or if we can't create an effect.
  init(_ time: TimeOptions, _ part: PartOptions, _ sound: SoundOptions, _ output: OutputOptions)
    throws
  {
    try time.check()
    try part.check()
    try output.check(time, part)
    self = try sound.request(makesPeaks: time.changes)
    (edit.region, edit.keepsRest) = (part.region, part.keepRest)
    last = part.last
    time.apply(to: &self)
  }
}

// Notes for the user, about options that we could only partly apply, and about an option that would
// keep more of the file.

extension EditRequest {
  /// A sentence for each option that asks for more sound than the file has. `edit` is the edit for
  /// this file.
  func notes(on input: AudioInformation, _ edit: AudioEdit) -> [String] {
    guard let duration = input.duration, duration > .zero else { return [] }
    var notes: [String] = []
    if let last, last > duration {
      notes.append("The file is \(duration.preciseClock) long, so --last keeps all of it.")
    }
    if last == nil, let stop = edit.region?.upperBound, stop > duration, stop != .longest {
      notes.append("The file is \(duration.preciseClock) long, so --region ends there.")
    }
    let fades = edit.fadeIn + edit.fadeOut
    let length = input.duration(after: edit)
    if fades > length {
      notes.append(
        "The sound is \(length.preciseClock) long, too short for fades of \(fades.preciseClock); "
          + "they were shortened.")
    }
    return notes
  }
}

extension AudioFile.Rendering {
  /// Says how the video could have been kept, if that's possible.
  func pictureNotes(_ edit: AudioEdit) -> [String] {
    let isSameLength = !edit.changesDuration && (edit.region == nil || edit.keepsRest)
    guard input.hasPictures, !output.hasPictures, isSameLength else { return [] }
    return ["Add --keep-video to keep the video."]
  }
}
