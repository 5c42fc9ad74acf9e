// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer
import FoundationEssentials
import Glibc

extension AudioFile {
  /// Writes a new file. `edit` says what happens to its sound.
  ///
  /// ```swift
  /// let edit = AudioEdit(region: .seconds(1) ..< .seconds(3), direction: .reverse)
  /// let rendering = try await song.render(edit, to: output) { progress in
  ///   print(progress.fraction)
  /// }
  /// ```
  ///
  /// The new file only appears under its name once it's complete. It keeps the sample format, rate,
  /// channels and tags if its type supports them, and ``Rendering/losses`` lists what's lost. If
  /// you cancel the task, no file is left behind.
  ///
  /// If GStreamer doesn't find any more data for ten seconds, rendering fails. One of GStreamer's
  /// threads then hangs around for ever, because there's no way to end it from outside.
  ///
  /// - Parameters:
  ///   - edit: What happens to the sound.
  ///   - output: The new file. Its extension decides the type.
  ///   - settings: The format of the new file, and whether it may replace an existing one.
  ///   - progress: Called about ten times a second and at the end, from any thread but one call at
  ///     a time.
  /// - Throws: A ``RetrogradeError`` if the input can't be decoded, if the output can't be written
  ///   or is the input itself, or if an option is out of range. `CancellationError` if the task is
  ///   cancelled.
  @discardableResult
  public func render(
    _ edit: AudioEdit, to output: URL, settings: OutputSettings = OutputSettings(),
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Rendering {
    try await Activity.$current.withValue(Activity()) {
      try await write(edit, to: output, settings, progress)
    }
  }

  /// Reverses the file. Shorthand for ``render(_:to:settings:progress:)`` with that edit.
  ///
  /// ```swift
  /// try await song.reverse(to: output)
  /// ```
  @discardableResult
  public func reverse(
    to output: URL, settings: OutputSettings = OutputSettings(),
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Rendering {
    try await render(
      AudioEdit(direction: .reverse), to: output, settings: settings, progress: progress)
  }

  /// Stretches (factor above 1) or compresses (below 1) the file in time. The pitch follows unless
  /// you preserve it. Shorthand for ``render(_:to:settings:progress:)`` with that edit.
  ///
  /// ```swift
  /// try await song.scale(by: ScaleFactor(1.5), to: output, pitch: .kept)
  /// ```
  @discardableResult
  public func scale(
    by factor: ScaleFactor, to output: URL, pitch: Pitch = .followsSpeed,
    settings: OutputSettings = OutputSettings(),
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Rendering {
    try await render(
      AudioEdit(factor: factor, pitch: pitch), to: output, settings: settings, progress: progress)
  }
}

extension AudioFile {
  private func write(
    _ edit: AudioEdit, to output: URL, _ settings: OutputSettings,
    _ report: @escaping @Sendable (Progress) -> Void
  ) async throws -> Rendering {
    try edit.validate()
    let requested = try Encoding(settings, for: output)
    try checkDiffers(from: output)
    let declared = try await information()
    let progress = SharedProgress(of: declared.duration(usedBy: edit), report)
    if let missing = declared.missing, !settings.acceptsIncomplete { throw cutOff(missing) }
    let whole = try await opened()
    try edit.validate(against: whole, of: self)
    let copy = try await copy(for: edit, whole)
    let information = copy.information
    try edit.validateCurve(against: information, of: self)
    let encoding = try requested.fitted(to: edit, of: information)
    if let video = encoding.video { try checkPictures(information, into: video, edit) }
    let part = try PartFile(for: output, replacingExisting: settings.replacesExisting)
    let mayRepeat = edit.peaks == .guarded && encoding.clips(information)
    let surveyed = edit.needsSurvey ? 0.5 : 0
    let known = try await survey(
      edit, of: copy.file, information, encoding, progress: progress.run(0...surveyed))
    let render = { (amplification: Float, report: @escaping @Sendable (Progress) -> Void) in
      let work = try Work(
        edit, of: copy.file, information, encoding, amplification: amplification, into: part)
      work.fade(known, encoding)
      try await work.run(report)
      return work
    }
    let wanted = edit.amplification(peak: edit.normalizes ? known.peak : 1)
    var amplification = wanted
    let rendered = mayRepeat ? (1 + surveyed) / 2 : 1
    var work = try await render(wanted, progress.run(surveyed...rendered))
    if mayRepeat, let less = work.level.level.amplification(insteadOf: wanted) {
      amplification = less
      work = try await render(less, progress.run(rendered...1))
    }
    if mayRepeat { progress.reach(1) }
    let clipped = encoding.clips(information) ? work.level.level.clipped : 0
    let seconds = Double(work.level.level.frames) / Double(encoding.rate(for: information))
    if seconds == 0 { try checkLength(of: edit, information) }
    let incomplete = try check(
      work, of: edit, declared, rate: encoding.rate(for: information),
      acceptsIncomplete: settings.acceptsIncomplete)
    if seconds == 0 { throw silence(in: edit.region, of: information.duration) }
    let layout = edit.channels == .all ? information.layout : []
    try encoding.complete(
      part.descriptor, layout: layout, frames: work.level.level.frames,
      rate: encoding.rate(for: information), format: encoding.waveFormat(of: information, edit))
    let pictureLosses = try encoding.video == nil ? [] : rotatePictures(in: part.descriptor)
    let written = try await AudioFile(
      part.readable, label: nil, name: FilePath(output).name.description
    ).information()
    try part.keep()
    return Rendering(
      url: output, input: information, output: written, elapsed: progress.elapsed,
      amplification: amplification, clipped: clipped,
      losses: incomplete + declared.losses(in: written, by: encoding, of: edit)
        + work.level.level.losses(clipped: clipped, of: edit)
        + Level.losses(from: wanted, to: amplification) + work.limiterLosses + pictureLosses)
  }

  /// For a speed curve, a WAV of the sound that it uses, because a curve needs exact seeks and the
  /// exact end. It's deleted when you release `part`.
  private func copy(
    for edit: AudioEdit, _ whole: AudioInformation
  ) async throws -> (file: AudioFile, information: AudioInformation, part: PartFile?) {
    guard edit.speedCurve != nil else { return (self, whole, nil) }
    let part = try await copied(AudioEdit(region: edit.region), of: whole, as: whole)
    let file = AudioFile(part.readable, label: label)
    var information = whole
    let length = try await file.information().duration ?? .zero
    information.duration = (edit.region?.lowerBound ?? .zero) + length
    information.start = .zero
    return (file, information, part)
  }

  private func checkLength(
    of edit: AudioEdit, _ information: AudioInformation
  ) throws(RetrogradeError) {
    let frames = information.duration(after: edit).inSeconds * Double(information.rate)
    guard frames > 0, frames < 1 else { return }
    throw error(
      .invalidArgument,
      "not one frame of sound would be left; choose a longer file or region, or a lower speed.")
  }

  /// Reads the whole file without writing, to find the peak and the length of the output. If the
  /// edit needs neither, this skips the reading and returns an empty level.
  private func survey(
    _ edit: AudioEdit, of file: AudioFile, _ information: AudioInformation, _ encoding: Encoding,
    progress: @escaping @Sendable (Progress) -> Void
  ) async throws -> Level {
    guard edit.needsSurvey else { return Level() }
    let survey = try Work(edit, of: file, information, encoding)
    try await survey.run(progress)
    return survey.level.level
  }

  private func checkDiffers(from output: URL) throws(RetrogradeError) {
    guard let input = FilePath(url).status(), let target = FilePath(output).status() else { return }
    guard input.st_dev == target.st_dev, input.st_ino == target.st_ino else { return }
    throw error(.outputIsInput, "the output would be the input itself; choose another name.")
  }
}
