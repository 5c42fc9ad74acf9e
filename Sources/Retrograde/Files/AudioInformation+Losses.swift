// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc

extension AudioInformation {
  /// What `output`, written by `encoding`, didn't keep of this file.
  func losses(
    in output: AudioInformation, by encoding: Encoding, of edit: AudioEdit
  ) -> [AudioFile.Loss] {
    var losses = missing.map { [AudioFile.Loss.sound($0)] } ?? []
    if !isLossy, !encoding.codec.isLossless {
      losses.append(.lossyCodec(encoding.codec))
    }
    if rate != output.rate, encoding.rate == nil {
      losses.append(.sampleRate(from: rate, to: output.rate))
    }
    losses += sampleFormatLoss(in: output, by: encoding)
    if edit.channels == .all { losses += channelLoss(in: output) }
    losses += untruths(after: edit)
    losses += tagLoss(in: output, of: edit)
    let missing = extras.filter { !output.extras.contains($0) }
    if !missing.isEmpty { losses.append(.extras(missing)) }
    return losses
  }

  /// Tags that we dropped because they're no longer true.
  private func untruths(after edit: AudioEdit) -> [AudioFile.Loss] {
    let revised = edit.revised(tags)
    let names = tags.lists.keys.filter { name in
      revised.lists[name] == nil && name != "extended-comment"
    }
    let comments = Set((revised.lists["extended-comment"] ?? []).map(Self.key))
    let keys = (tags.lists["extended-comment"] ?? []).filter {
      !AudioTags.isChapter(comment: $0) && !comments.contains(Self.key($0))
    }
    guard !names.isEmpty || !keys.isEmpty else { return [] }
    return [.outdatedTags((names + keys.map(Self.key)).sorted())]
  }

  private static func key(_ comment: String) -> String {
    String(comment.prefix { $0 != "=" && $0 != "[" })
  }

  private func tagLoss(in output: AudioInformation, of edit: AudioEdit) -> [AudioFile.Loss] {
    let tags = edit.revised(tags)
    let names = tags.values.keys.sorted()
    let missing = names.filter { output.tags.counterpart(of: $0) == nil }
    let changed = names.filter { AudioTags.otherNames[$0] == nil && !missing.contains($0) }
      .filter { output.tags[$0] != tags[$0] }
    return (missing.isEmpty ? [] : [.missingTags(missing)])
      + (changed.isEmpty ? [] : [.changedTags(changed)])
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
