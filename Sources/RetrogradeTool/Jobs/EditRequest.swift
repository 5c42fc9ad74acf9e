// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Retrograde

/// The edit that the user asks for. We can apply ``last`` and ``length`` only when we know the
/// length of the file.
struct EditRequest: Sendable {
  var edit = AudioEdit()
  /// Uses only so much of the end of the file. With nil, the region of `edit` applies.
  var last: Duration?
  var mapFile: FilePath?
  /// How long the new file, or its region, should be. With nil, the factor of `edit` applies.
  var length: Duration?

  /// The edit for one file.
  ///
  /// If we need the length of the file but don't know it, or if the requested length is outside the
  /// range of factors, it throws an error that names the file as `name`.
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
    // n frames become ⌊n × factor⌋. Half a frame more, and a rounding error can't lose a frame
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
