// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioFile {
  /// What a new file couldn't keep of its input.
  ///
  /// ```swift
  /// let isLossless = !rendering.losses.contains { if case .lossyCodec = $0 { true } else { false } }
  /// ```
  @nonexhaustive
  public enum Loss: Sendable, Hashable, Codable {
    /// Sound is missing because the input is cut off or damaged. The text says what's missing,
    /// without a full stop.
    case sound(String)
    /// The input is lossless, and this codec isn't.
    case lossyCodec(OutputSettings.Codec)
    /// The sample rates in Hz.
    case sampleRate(from: Int, to: Int)
    /// Sample formats as GStreamer names them. If the new format has unused bits, `bits` is how many
    /// it uses.
    case sampleFormat(from: String, to: String, bits: Int?)
    /// Numbers of channels.
    case channels(from: Int, to: Int)
    /// Channel positions ("FL", "FR"). Empty if the new file doesn't have any.
    case layout(from: [String], to: [String])
    /// Tags that we left out, because they'd no longer be true, such as the tempo.
    case outdatedTags([String])
    /// Tags that the new file can't hold.
    case missingTags([String])
    /// Tags other than dates and pictures with other values in the new file.
    case changedTags([String])
    /// Other contents of the input, such as pictures or chapters.
    case extras([String])
    /// How many dB we turned the level down by to avoid clipping.
    case level(Double)
    /// How many dB we turned the highest peaks down by to avoid clipping. The sound between the
    /// peaks is as loud as before.
    case peaks(Double)
    /// The number of samples that clipped, how many dB they were above full scale, and the highest
    /// ``AudioEdit/gain`` without clipping.
    case clipping(samples: Int64, excess: Double, gain: Double)
  }
}

extension AudioFile.Loss: CustomStringConvertible {
  /// A sentence for the user.
  public var description: String {
    switch self {
    case .sound(let what): "Sound is missing: \(what)."
    case .lossyCodec(let codec): "\(codec.rawValue) is lossy, and the input is lossless."
    case .sampleRate(let from, let to): "The sample rate of \(from) Hz became \(to) Hz."
    case .sampleFormat(let from, let to, let bits):
      "Samples of \(from) became \(to)\(bits.map { " with \($0) bits" } ?? "")."
    case .channels(let from, let to):
      "\(from == 1 ? "1 channel" : "\(from) channels") became \(to)."
    case .layout(let from, let to):
      "The channel layout, \(from.joined(separator: " ")), became "
        + "\(to.isEmpty ? "none" : to.joined(separator: " "))."
    case .outdatedTags(let names):
      "These tags would no longer be true and were left out: \(names.joined(separator: ", "))."
    case .missingTags(let names): "These tags were not kept: \(names.joined(separator: ", "))."
    case .changedTags(let names): "These tags were changed: \(names.joined(separator: ", "))."
    case .extras(let what): "Not kept: \(what.joined(separator: ", "))."
    case .level(let decibels):
      "The level was lowered by \(decibels) dB, so that nothing is clipped."
    case .peaks(let decibels):
      "Peaks were lowered by up to \(decibels) dB, so that nothing is clipped."
    case .clipping(let samples, let excess, let gain):
      "\(samples == 1 ? "1 sample was" : "\(samples) samples were") clipped, by up to "
        + "\(excess) dB; a gain of \(gain) dB would avoid that."
    }
  }
}
