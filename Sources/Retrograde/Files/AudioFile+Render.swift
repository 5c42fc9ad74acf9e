// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc

extension AudioFile {
  /// Writes the file anew, reversed, scaled, cut or made louder as `edit` says.
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
    let amplification = try await amplification(for: edit, information, encoding) {
      progress?($0.asPart(0...0.5, since: clock, of: information.duration(of: edit.region)))
    }
    let work = try Work(
      edit, of: self, information, encoding, amplification: amplification, into: part.temporary)
    try await work.run { now in
      guard edit.normalizes else { return progress?(now) ?? () }
      progress?(now.asPart(0.5...1, since: clock, of: information.duration(of: edit.region)))
    }
    let clipped = encoding.clips(information) ? work.level.level.clipped : 0
    let seconds = Double(work.level.level.frames) / Double(encoding.rate(for: information))
    try checkComplete(seconds, of: information.declaredSeconds(of: edit))
    let layout = edit.channels == .all ? information.layout : []
    try encoding.complete(
      part.temporary, layout: layout, frames: work.level.level.frames,
      rate: encoding.rate(for: information))
    let written = try await AudioFile(part.temporary).information()
    try part.keep()
    return Rendering(
      url: output, input: information, output: written, elapsed: .now - clock,
      amplification: amplification, clipped: clipped,
      losses: information.losses(in: written, by: encoding, of: edit, seconds: seconds)
        + work.level.level.losses(clipped: clipped, of: edit))
  }

  /// Throws where nearly nothing of what the file declares could be decoded.
  private func checkComplete(_ seconds: Double, of declared: Double?) throws(RetrogradeError) {
    guard let declared, seconds < 0.1 * declared else { return }
    throw error(
      .inputDamaged,
      "it declares \((declared * 1000).rounded() / 1000) s, of which nearly nothing can be decoded; "
        + "convert it into another type first.")
  }

  /// By what samples are multiplied. To bring the loudest to full scale, it has to be known.
  private func amplification(
    for edit: Edit, _ information: AudioInformation, _ encoding: Encoding,
    progress: @escaping @Sendable (RenderProgress) -> Void
  ) async throws(RetrogradeError) -> Float {
    guard edit.normalizes else { return edit.amplification(peak: 1) }
    let survey = try Work(surveying: edit, of: self, information, encoding)
    try await survey.run(progress)
    return edit.amplification(peak: survey.level.level.peak)
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
  /// pitch follows unless it is kept. The same as ``render(_:to:settings:progress:)`` with that edit.
  @discardableResult
  public func scale(
    by factor: Double, to output: URL, pitch: Pitch = .following,
    interpolation: Interpolation = .sinc, quality: Int = 6, alignment: Alignment = .stream,
    channels: ChannelSelection = .all, settings: OutputSettings = OutputSettings(),
    progress: (@Sendable (RenderProgress) -> Void)? = nil
  ) async throws(RetrogradeError) -> Rendering {
    try await render(
      Edit(
        factor: factor, pitch: pitch, interpolation: interpolation, quality: quality,
        alignment: alignment, channels: channels),
      to: output, settings: settings, progress: progress)
  }

  private func checkDiffers(from output: URL) throws(RetrogradeError) {
    var (input, target) = (stat(), stat())
    guard stat(url.path, &input) == 0, stat(output.path, &target) == 0 else { return }
    guard input.st_dev == target.st_dev, input.st_ino == target.st_ino else { return }
    throw error(.outputIsInput, "the output would be the input itself; choose another name.")
  }
}
