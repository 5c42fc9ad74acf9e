// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

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
    if last == nil, let stop = edit.region?.upperBound, stop > duration, stop != Region.farAway {
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
