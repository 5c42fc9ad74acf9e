// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc

extension AudioFile {
  /// Writes the file anew, reversed, scaled or cut as `edit` says.
  ///
  /// The new file appears under its name only when it is complete. What its
  /// type can hold is kept: sample format, rate, channels and tags; the rest is
  /// told in ``Rendering/losses``. `progress` is called about ten times a
  /// second. Cancelling the task leaves nothing behind.
  ///
  /// Throws with a sentence for the user where the input cannot be decoded, the
  /// output cannot be written, or is the input, and where an option is out of range.
  @discardableResult
  public func render(
    _ edit: Edit, to output: URL, settings: OutputSettings = OutputSettings(),
    progress: (@Sendable (RenderProgress) -> Void)? = nil
  ) async throws(RetrogradeError) -> Rendering {
    try edit.check()
    let encoding = try Encoding(settings, for: output)
    try checkDiffers(from: output)
    let information = try await information()
    try edit.check(against: information, of: self)
    try encoding.checkSize(of: edit, information)
    let part = try PartFile(for: output, replacingExisting: settings.replacesExisting)
    let clock = ContinuousClock.now
    let work = try Work(edit, of: self, information, encoding, into: part.temporary)
    try await work.run(progress)
    encoding.complete(part.temporary, layout: edit.channels == .all ? information.layout : [])
    let written = try await AudioFile(part.temporary).information()
    try part.keep()
    return Rendering(
      url: output, input: information, output: written, elapsed: .now - clock,
      losses: information.losses(in: written, by: encoding, of: edit))
  }

  /// Reverses the file; the same as ``render(_:to:settings:progress:)`` with that edit.
  @discardableResult
  public func reverse(
    to output: URL, channels: ChannelSelection = .all, seam: Seam = .smooth,
    settings: OutputSettings = OutputSettings(),
    progress: (@Sendable (RenderProgress) -> Void)? = nil
  ) async throws(RetrogradeError) -> Rendering {
    try await render(
      Edit(direction: .reverse, channels: channels, seam: seam), to: output, settings: settings,
      progress: progress)
  }

  /// Stretches (factor above 1) or squeezes (below 1) the file in time; its
  /// pitch follows. The same as ``render(_:to:settings:progress:)`` with that edit.
  @discardableResult
  public func scale(
    by factor: Double, to output: URL, interpolation: Interpolation = .sinc, quality: Int = 6,
    alignment: Alignment = .stream, channels: ChannelSelection = .all,
    settings: OutputSettings = OutputSettings(),
    progress: (@Sendable (RenderProgress) -> Void)? = nil
  ) async throws(RetrogradeError) -> Rendering {
    try await render(
      Edit(
        factor: factor, interpolation: interpolation, quality: quality, alignment: alignment,
        channels: channels),
      to: output, settings: settings, progress: progress)
  }

  private func checkDiffers(from output: URL) throws(RetrogradeError) {
    var (input, target) = (stat(), stat())
    guard stat(url.path, &input) == 0, stat(output.path, &target) == 0 else { return }
    guard input.st_dev == target.st_dev, input.st_ino == target.st_ino else { return }
    throw error(.outputIsInput, "the output would be the input itself; choose another name.")
  }
}
