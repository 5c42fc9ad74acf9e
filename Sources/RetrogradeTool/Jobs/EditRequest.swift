// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// The edit that the user requests. ``last`` and ``length`` can be applied only when the length of
/// the file is known.
struct EditRequest: Sendable {
  /// The part of the edit that is the same for every file.
  var edit = AudioEdit()
  /// If only the end of the file is used, the duration of that part, or nil if the region of `edit`
  /// is used.
  var last: Duration?
  /// The file with the time map of `edit`.
  var mapFile: FilePath?
  /// Duration of the new file, or of its region, or nil if the factor of `edit` is used.
  var length: Duration?

  /// The edit for one file.
  ///
  /// Throws an error if the length of the file is needed but unknown, or if the requested length is
  /// outside the range of factors. The error names the file as `name`.
  func edit(
    for input: AudioInformation, named name: String
  ) throws(RetrogradeError) -> AudioEdit {
    guard last != nil || length != nil else { return edit }
    guard let duration = input.duration else {
      throw RetrogradeError(
        .inputUnreadable,
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
    // n frames become ⌊n × factor⌋. Add half a frame, so that a rounding error cannot lose a frame
    let wanted = (length / .seconds(1) * Double(input.rate)).rounded() + 0.5
    do {
      edit.factor = try ScaleFactor(wanted / max(frames.rounded(), 1))
    } catch {
      throw RetrogradeError(
        .invalidArgument,
        "\(name): it is \((used.upperBound - used.lowerBound).preciseClock) long, and can be made 0.01 "
          + "to 100 times as long; choose another length.")
    }
    return edit
  }
}
