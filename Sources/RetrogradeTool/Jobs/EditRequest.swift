// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

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
    if let last, duration > .zero { edit.region = max(duration - last, .zero)..<duration }
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
