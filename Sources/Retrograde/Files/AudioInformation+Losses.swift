// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

extension AudioInformation {
  /// What `output`, written by `encoding`, didn't keep of this file. `seconds` is the duration of
  /// the encoded sound.
  func losses(
    in output: AudioInformation, by encoding: Encoding, of edit: AudioEdit, seconds: Double
  ) -> [AudioFile.Loss] {
    var losses = missing.map { [AudioFile.Loss.sound($0)] } ?? []
    if missing == nil { losses += packetLoss(of: edit, seconds: seconds) }
    if !isLossy, !encoding.codec.isLossless {
      losses.append(.lossyCodec(encoding.codec))
    }
    if rate != output.rate, encoding.rate == nil {
      losses.append(.sampleRate(from: rate, to: output.rate))
    }
    losses += sampleFormatLoss(in: output, by: encoding)
    if edit.channels == .all { losses += channelLoss(in: output) }
    losses += untruths(after: edit)
    losses += tagLoss(in: output, by: encoding, of: edit)
    var missing = extras.filter { !output.extras.contains($0) }
    // FLAC cue sheets don't have titles
    if tags.titledChapters > 0, output.tags.chapters > 0, output.tags.titledChapters == 0 {
      missing.append("the titles of chapters")
    }
    if !missing.isEmpty { losses.append(.extras(missing)) }
    return losses
  }

  /// Tags that we dropped because they're no longer true.
  private func untruths(after edit: AudioEdit) -> [AudioFile.Loss] {
    let revised = edit.revised(tags, duration: duration)
    let names = tags.lists.keys.filter { name in
      revised.lists[name] == nil && name != "extended-comment"
    }
    let comments = Set((revised.lists["extended-comment"] ?? []).map(Self.key))
    let keys = (tags.lists["extended-comment"] ?? []).filter {
      ChapterComments.number(of: $0) == nil && !comments.contains(Self.key($0))
    }
    guard !names.isEmpty || !keys.isEmpty else { return [] }
    return [.outdatedTags((names + keys.map(Self.key)).sorted())]
  }

  private static func key(_ comment: String) -> String {
    String(comment.prefix { $0 != "=" && $0 != "[" })
  }

  /// If an MP4 with several tracks begins with encoder silence, GStreamer 1.22's qtdemux drops the
  /// last packet, of at most 2048 frames. This reports the loss.
  private func packetLoss(of edit: AudioEdit, seconds: Double) -> [AudioFile.Loss] {
    guard container == "ISO MP4/M4A", let expected = declaredSeconds(of: edit) else { return [] }
    let missing = (expected - seconds) / edit.lastFactor
    // times in such a file may also be rounded to milliseconds
    guard missing > 0.0015, missing <= 2049 / Double(rate) else { return [] }
    return [.lastPacket(.seconds(saturating: missing))]
  }

  private func tagLoss(
    in output: AudioInformation, by encoding: Encoding, of edit: AudioEdit
  ) -> [AudioFile.Loss] {
    let tags = edit.revised(tags, duration: duration)
    let names = tags.values.keys.sorted()
    let missing = names.filter { output.tags.counterpart(of: $0) == nil }
    // Matroska derives the type of a picture from its file name, so it may change. Other containers
    // keep the type.
    let isRenamed = { encoding.type == .mka && $0 == "image" && output.tags["image"] == nil }
    let changed = names.filter {
      !missing.contains($0) && (!output.tags.keeps($0, of: tags) || isRenamed($0))
    }
    var losses: [AudioFile.Loss] = []
    if !missing.isEmpty { losses.append(.missingTags(missing)) }
    if !changed.isEmpty { losses.append(.changedTags(changed)) }
    if encoding.type == .mka, tags.values.values.contains(where: AudioTags.isQuoted) {
      losses.append(.quotedTags)
    }
    return losses
  }

  private func sampleFormatLoss(
    in output: AudioInformation, by encoding: Encoding
  ) -> [AudioFile.Loss] {
    guard !isLossy, encoding.codec.isLossless, encoding.bits == nil else { return [] }
    let (before, after) = (samples, output.samples)
    guard after.bits < before.bits || before.isFloat && !after.isFloat else { return [] }
    return [
      .sampleFormat(from: sampleFormat, to: output.sampleFormat, bits: output.sampleBits)
    ]
  }

  private func channelLoss(in output: AudioInformation) -> [AudioFile.Loss] {
    if channels != output.channels { return [.channels(from: channels, to: output.channels)] }
    // a single channel may be called the front centre
    guard channels > 1, !layout.isEmpty, layout != output.layout else { return [] }
    return [.layout(from: layout, to: output.layout)]
  }
}

extension Level {
  /// Reports that the whole output is quieter than requested because we used `factor` instead of
  /// `wanted`.
  static func losses(from wanted: Float, to factor: Float) -> [AudioFile.Loss] {
    guard factor < wanted else { return [] }
    let tenths = (200 * log10(Double(wanted / factor))).rounded(.up)
    return [.level(max(tenths, 1) / 10)]
  }

  /// Reports samples that clipped because of `edit`, along with the highest gain that avoids
  /// clipping.
  func losses(clipped: Int64, of edit: AudioEdit) -> [AudioFile.Loss] {
    guard clipped > 0 else { return [] }
    let tenths = (excess * 10).rounded(.up)
    let gain = (edit.gain * 10 - tenths).rounded(.down) / 10
    return [.clipping(samples: clipped, excess: max(tenths, 1) / 10, gain: gain)]
  }
}
