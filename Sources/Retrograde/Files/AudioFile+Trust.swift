// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// We compare the length of the sound with what the file declares, because GStreamer reads damaged
// files without an error.

extension AudioFile {
  /// Throws if the output of `work`, at `rate`, doesn't contain all of the `declared` sound. If you
  /// accept incomplete files, returns a sentence about what's missing instead.
  func check(
    _ work: Work, of edit: AudioEdit, _ declared: AudioInformation, rate: Int,
    acceptsIncomplete: Bool
  ) throws -> [Loss] {
    if let gaps = work.gaps.loss {
      if declared.hasNoGaps, !acceptsIncomplete { throw cutOff("the file is damaged: \(gaps)") }
      return [.sound(gaps)]
    }
    let seconds = Double(work.level.level.frames) / Double(rate)
    guard declared.missing == nil, let expected = declared.declaredSeconds(of: edit) else {
      return []
    }
    let missing = (expected - seconds) / edit.lastFactor
    let isCounted = declared.declaresFrames && !edit.isScaled && edit.effects.isEmpty
    // Matroska counts the last packet of lossless sound as a full one
    let rounding = declared.hasRoundedTimes && !declared.isLossy ? 0.5 : 0.05
    let few = isCounted ? 0.001 : 0.005 * expected / edit.lastFactor + rounding
    guard missing > few else { return lastPacketLoss(missing, of: declared) }
    if seconds < 0.1 * expected {
      throw error(
        .inputDamaged,
        "nearly nothing of its \(expected.roundedToMilliseconds) s can be decoded; "
          + "convert it into another type first.")
    }
    if acceptsIncomplete { return [.sound("\(missing.roundedToMilliseconds) s cannot be decoded")] }
    throw cutOff(
      "\(missing.roundedToMilliseconds) s of its sound cannot be decoded, so it is damaged or cut off"
    )
  }

  /// If an MP4 with several tracks begins with encoder silence, GStreamer 1.22's qtdemux drops the
  /// last packet, of at most 2048 frames. Times in such a file may also be rounded to milliseconds.
  private func lastPacketLoss(_ seconds: Double, of declared: AudioInformation) -> [Loss] {
    guard declared.container == "ISO MP4/M4A",
      seconds > 0.0015, seconds <= 2049 / Double(declared.rate)
    else { return [] }
    let milliseconds = Int(saturating: (seconds * 1000).rounded())
    return [.sound("the last \(milliseconds) ms, because GStreamer leaves out the last packet")]
  }
}

extension AudioInformation {
  /// Expected duration of the edit's output in seconds. Nil if we can't trust the file's declared
  /// duration, which may be an estimate or, in a video file, the duration of another stream.
  func declaredSeconds(of edit: AudioEdit) -> Double? {
    guard !isEstimate, !hasOtherStreams, duration != nil else { return nil }
    let late = edit.speedCurve == nil ? edit.scaled(late(for: edit)) : .zero
    return (duration(after: edit) - late).inSeconds
  }

  var hasOtherStreams: Bool {
    hasPictures || extras.contains { $0.hasPrefix(AudioFile.moreAudio) }
  }

  /// In these, packets follow each other, so a gap means that some are damaged.
  fileprivate var hasNoGaps: Bool { container == "Ogg" || !isLossy }

  /// FLAC or WavPack without a container, other than tags.
  var declaresFrames: Bool {
    (container.map(Self.tagTypes.contains) ?? true)
      && (storage == .flac || codec == "Wavpack")
  }

  static let tagTypes = ["APE tag", "ID3 tag"]
}
