// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioEdit {
  /// Throws ``RetrogradeError/Code/invalidArgument`` if an option is out of range for any file.
  public func validate() throws(RetrogradeError) {
    try pitch.check()
    try require(
      (0...10).contains(interpolation.quality),
      "A quality must be from 0 to 10 (\(interpolation.quality) is not); choose another.")
    try require(
      gain.isFinite && (-120...120).contains(gain),
      "A gain must be from -120 to 120 dB (\(gain) is not); choose another.")
    try require(
      fadeIn >= .zero && fadeOut >= .zero, "A fade cannot be shorter than 0 s; choose another.")
    try require(
      timeMap == nil || direction == .forward && region == nil && alignment == .stream,
      "A time map cannot be combined with a region, a reversal or aligned ends; "
        + "do one after the other.")
    try require(
      speedCurve == nil || isSimple,
      "A speed curve cannot be combined with another change of the speed or the pitch, another "
        + "interpolation, a reversal, an effect before it, or the rest of the file; do one after "
        + "the other.")
    for effect in effects { try effect.checkTail() }
    try require(
      placedRegion == nil || effects.allSatisfy({ $0.tail == .zero }),
      "The tail of an effect does not fit if the rest of the file is kept; leave out the tail.")
    if let region, region.isEmpty || region.lowerBound < .zero {
      throw RetrogradeError.invalid(
        "A region must begin at 0 s or later, and must not be empty; choose another.")
    }
  }

  /// True if nothing in the edit conflicts with a speed curve.
  private var isSimple: Bool {
    factor == .one && timeMap == nil && pitch == .followsSpeed && alignment == .stream
      && interpolation.name == "sinc" && direction == .forward && !keepsRest
      && !effects.contains(.before)
  }

  /// Throws if the region of the file contains no audio.
  func validate(
    against information: AudioInformation, of file: AudioFile
  ) throws(RetrogradeError) {
    guard let region, let duration = information.duration, duration > .zero else { return }
    try file.require(
      region.lowerBound < duration, else: .invalidArgument,
      "the file ends at \(duration.inSeconds.roundedToMilliseconds) s, but the region begins at "
        + "\(region.lowerBound.inSeconds.roundedToMilliseconds) s; choose an earlier region.")
  }

  /// Throws if the speed curve leaves the audio.
  func validateCurve(
    against information: AudioInformation, of file: AudioFile
  ) throws(RetrogradeError) {
    let length = information.sound(usedBy: self).inSeconds
    guard let exit = speedCurve?.exit(from: length, rate: information.rate) else { return }
    throw file.error(
      .invalidArgument,
      "after \(exit.time.roundedToMilliseconds) s of the output, the speed "
        + "curve would go past the \(exit.isPastEnd ? "end" : "beginning") of "
        + "\(region == nil ? "the file" : "the region"), which has "
        + "\(length.roundedToMilliseconds) s; choose lower speeds or other times."
    )
  }

  /// The elements for this edit with their properties, in order. Doesn't include effects that come
  /// after reversal and scaling.
  func elements(for information: AudioInformation) -> [String] {
    if let speedCurve { return playing(speedCurve, of: information) }
    return effects.elements(.before, of: effectFormat(of: information))
      + (direction == .reverse ? ["revbuf direction=reverse mode=collect max-memory=16777216"] : [])
      + scaling(of: information)
  }

  private func playing(_ curve: SpeedCurve, of information: AudioInformation) -> [String] {
    [
      // floats, because interpolated peaks may exceed full scale
      "audioconvert", "audio/x-raw,format=\(information.floatFormat)",
      "revbuf name=revbuf mode=seek speed=\(curve.firstSpeed) "
        + "quality=\(interpolation.quality)",
    ]
  }

  func effectFormat(of information: AudioInformation) -> AudioEffect.Format {
    AudioEffect.Format(rate: information.rate, channels: channels.count(of: information))
  }

  /// The elements that change the duration and the pitch, if needed.
  private func scaling(of information: AudioInformation) -> [String] {
    guard isScaled else { return [] }
    // a time map counts from 0, whatever timestamps the file has
    let times = timeMap == nil ? [] : ["identity single-segment=true"]
    return times + [
      // floats, because interpolated peaks may exceed full scale
      "audioconvert", "audio/x-raw,layout=interleaved,format=\(information.floatFormat)",
      "queue name=decoded",
      "timescale name=timescale factor=\(factor.value) interpolation=\(interpolation.name) "
        + "quality=\(interpolation.quality) alignment=\(alignment.rawValue) "
        + "keep-pitch=\(pitch.isKept) semitones=\(pitch.semitones) "
        + "formants=\(pitch.formants.rawValue) formant-semitones=\(pitch.formantSemitones)",
    ]
  }

  /// Elements that select the channels. They keep the sample format, rate and channels that the
  /// file begins with.
  func channelElements(of information: AudioInformation) -> [String] {
    let format =
      "audio/x-raw,format=\(information.sampleFormat),layout=interleaved,rate=\(information.rate)"
    let all = [
      "audioconvert name=inlet dithering=none", "audioresample",
      "\(format),channels=\(information.channels)",
    ]
    guard channels != .all, information.channels > 1 else { return all }
    let others = String(repeating: ", (float)0", count: information.channels - 1)
    let matrix = channels == .first ? " mix-matrix=\"<<(float)1\(others)>>\"" : ""
    return all + ["audioconvert dithering=none\(matrix)", "\(format),channels=1"]
  }

  var isScaled: Bool {
    changesDuration || pitch.semitones != 0 || pitch.formantSemitones != 0
  }

  package var changesDuration: Bool { factor != .one || timeMap != nil || speedCurve != nil }

  var lastFactor: Double {
    guard let speed = speedCurve?.lastSpeed.magnitude else { return factor.value }
    return speed == 0 ? 1 : 1 / speed
  }
}
