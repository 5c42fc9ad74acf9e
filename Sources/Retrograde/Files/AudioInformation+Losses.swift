// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioInformation {
  /// What a file written by `encoding` did not keep of this one, a sentence for each.
  func losses(
    in output: AudioInformation, by encoding: Encoding, of edit: Edit
  ) -> [String] {
    var losses = durationLoss(in: output, of: edit)
    if !isLossy, !encoding.codec.isLossless {
      losses.append("\(encoding.codec.rawValue) is not lossless, the input is.")
    }
    if rate != output.rate {
      losses.append("The rate of \(rate) Hz became \(output.rate) Hz.")
    }
    losses += sampleFormatLoss(in: output, by: encoding)
    if edit.channels == .all { losses += channelLoss(in: output) }
    losses += tagLoss(in: output, by: encoding)
    return losses
  }

  /// Decoders leave out what they cannot decode, and go on.
  private func durationLoss(in output: AudioInformation, of edit: Edit) -> [String] {
    // that of an MP3, or a bare AAC, may be estimated
    let isExact = !isLossy || container.map { $0 != "ID3 tag" } ?? false
    guard isExact, duration != nil, let found = output.duration else { return [] }
    let expected = duration(of: edit.region).inSeconds * edit.factor
    guard found.inSeconds < 0.995 * expected - 0.05 * edit.factor else { return [] }
    let missing = ((expected - found.inSeconds) * 100).rounded() / 100
    return ["\(missing) s are missing; the input may be damaged."]
  }

  private func tagLoss(in output: AudioInformation, by encoding: Encoding) -> [String] {
    let names = tags.values.keys.sorted()
    let missing = names.filter { output.tags.counterpart(of: $0) == nil }
    // other containers keep the type of a picture, Matroska a name that says another
    let isRenamed = { encoding.type == .mka && $0 == "image" && output.tags["image"] == nil }
    let changed = names.filter {
      !missing.contains($0) && (!output.tags.keeps($0, of: tags) || isRenamed($0))
    }
    var losses: [String] = []
    if !missing.isEmpty {
      losses.append("These tags were not kept: \(missing.joined(separator: ", ")).")
    }
    if !changed.isEmpty {
      losses.append("These tags were changed: \(changed.joined(separator: ", ")).")
    }
    if encoding.type == .mka, tags.values.values.contains(where: Tags.isQuoted) {
      losses.append(
        "Other programs may show its tags in quotes, as GStreamer writes them into Matroska.")
    }
    return losses
  }

  private func sampleFormatLoss(
    in output: AudioInformation, by encoding: Encoding
  ) -> [String] {
    guard !isLossy, encoding.codec.isLossless else { return [] }
    let (before, after) = (samples, output.samples)
    guard after.bits < before.bits || before.isFloat && !after.isFloat else { return [] }
    let bits = output.sampleBits.map { " with \($0) bits" } ?? ""
    return ["Samples of \(sampleFormat) became \(output.sampleFormat)\(bits)."]
  }

  private func channelLoss(in output: AudioInformation) -> [String] {
    if channels != output.channels {
      return ["\(channels) channels became \(output.channels)."]
    }
    guard !layout.isEmpty, layout != output.layout else { return [] }
    let places = output.layout.isEmpty ? "none" : output.layout.joined(separator: " ")
    return ["The channels' places, \(layout.joined(separator: " ")), became \(places)."]
  }
}

extension Level {
  /// That samples were clipped, and how much quieter they would have fitted; `edit` is what
  /// they were made by.
  func losses(clipped: Int64, of edit: Edit) -> [String] {
    guard clipped > 0 else { return [] }
    let tenths = (excess * 10).rounded(.up)
    let gain = (edit.gain * 10 - tenths).rounded(.down) / 10
    return [
      "\(clipped.grouped) samples were clipped, by up to \(max(tenths, 1) / 10) dB; "
        + "a gain of \(gain) dB would keep them."
    ]
  }
}

extension Int64 {
  /// "24,020".
  fileprivate var grouped: String {
    let digits = Array(String(self))
    return digits.indices.map { index in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digits[index])" : "\(digits[index])"
    }.joined()
  }
}
