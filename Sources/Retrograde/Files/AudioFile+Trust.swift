// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Synchronization

// We don't rely on seeks to be right. We compare the sound with decoding from the start, and the
// length with what the file declares. If something doesn't match, we decode the file again in one
// go (`opened(_:)`), and if sound is still missing then, that's an error.

/// Seeking in the file gives us the wrong audio, so we have to decode it in one go.
struct SeeksMislead: Error {}

extension AudioFile {
  func isWorthOnePass(after failure: any Error) -> Bool {
    let isDamage = (failure as? RetrogradeError)?.code == .inputDamaged
    // no use waiting twice for a decoder that never ends
    guard (failure as? RetrogradeError) != stuck else { return false }
    return (failure is SeeksMislead || isDamage) && seeks
  }

  /// True if we decode the file directly, and so rely on the decoder's seeks.
  private var seeks: Bool { !isJoined && !needsOnePass }

  /// Throws ``SeeksMislead`` if a region sounds different when we seek to it than when we decode
  /// from the start. We compare one second near the start of the file, to be quick, and at the same offset
  /// from a whole second. We don't compare lossy codecs, because their decoders give slightly
  /// different samples after a seek. We don't compare files that are too long to decode in one go,
  /// either.
  func checkSeeks(by edit: AudioEdit, _ information: AudioInformation) async throws {
    guard let region = edit.region, !information.isLossy, seeks,
      isShort(information)
    else { return }
    let whole = Duration.seconds(region.lowerBound.components.seconds % 8)
    let start = region.lowerBound - .seconds(region.lowerBound.components.seconds) + whole
    let length = min(region.upperBound - region.lowerBound, .seconds(1))
    let near = AudioEdit(region: start..<start + length, direction: .reverse)
    let frames = [start, start + length].map {
      Int(saturating: ($0.inSeconds * Double(information.rate)).rounded())
    }
    let passed = try await samples(atMost: frames[1] * information.channels)
    let sought = try await samples(
      through: [near.reversal(of: information), AudioEdit.secondReversal],
      region: start..<start + length)
    guard sought.elementsEqual(passed.dropFirst(frames[0] * information.channels)) else {
      throw SeeksMislead()
    }
  }

  private func samples(
    atMost count: Int = .max, through elements: [String] = [], region: Range<Duration>? = nil
  ) async throws -> ArraySlice<Double> {
    let found = Mutex<[Double]>([])
    try await decode(through: elements, to: "F64LE", region: region) { samples in
      found.withLock {
        $0 += samples
        return $0.count < count
      }
    }
    return found.withLock { $0.prefix(count) }
  }

  /// True if it takes up 4 GB at most when decoded.
  private func isShort(_ information: AudioInformation) -> Bool {
    let frames = (information.duration ?? .zero).inSeconds * Double(information.rate)
    let frameBytes = information.channels * SampleFormat.bytes(of: information.sampleFormat)
    return frames * Double(frameBytes) < 4_294_960_000
  }

  /// Throws if the output of `work`, at `rate`, doesn't contain all of the `declared` sound. If you
  /// accept incomplete files, returns a sentence about what's missing instead.
  func check(
    _ work: Work, of edit: AudioEdit, _ declared: AudioInformation, rate: Int,
    acceptsIncomplete: Bool
  ) throws -> [Loss] {
    let seconds = Double(work.level.level.frames) / Double(rate)
    if seeks, !declared.isLossy, work.hasFaded { throw SeeksMislead() }
    guard declared.missing == nil, let expected = declared.declaredSeconds(of: edit) else {
      return []
    }
    let missing = (expected - seconds) / edit.lastFactor
    // both ends of a region are rounded, and the length is too if the rate changes
    let tolerated = edit.region == nil && rate == declared.rate ? 0.5 : 1.5
    let odd = abs(missing) * Double(min(rate, declared.rate)) > tolerated
    if seeks, odd, declared.countsFrames, edit.keepsFrames { throw SeeksMislead() }
    let isNothing = seconds < 0.1 * expected
    let isCounted = declared.declaresFrames && edit.keepsFrames
    let few = isCounted ? 0.001 : 0.005 * expected / edit.lastFactor + 0.05
    guard isNothing || missing > few else { return [] }
    if isNothing {
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
}

extension AudioEdit {
  /// True if the output has exactly as many frames as the part of the input.
  fileprivate var keepsFrames: Bool { !isScaled && effects.isEmpty }
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

  /// FLAC or WavPack without a container, other than tags.
  fileprivate var declaresFrames: Bool {
    (container.map(Self.tagTypes.contains) ?? true)
      && (storage == .flac || codec == "Wavpack")
  }

  private static let tagTypes = ["APE tag", "ID3 tag"]

  /// True if ``duration`` is exact to the frame.
  fileprivate var countsFrames: Bool {
    let containers = Self.exactContainers + Self.tagTypes + ["Ogg"]
    return !isLossy && (container.map(containers.contains) ?? true)
  }
}
