// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// How a new file becomes as much like its input as it can.

extension OutputSettings.FileType {
  /// The type that is most like that of an input: its own, if it can be written. A bare AAC stream
  /// becomes M4A, a film Matroska with its sound alone. All others become FLAC, which loses
  /// nothing.
  public static func same(as input: AudioInformation) -> OutputSettings.FileType {
    switch (input.container, input.storage) {
    case ("WAV", _): .wav
    case ("Audio Interchange File Format (AIFF)", _): .aiff
    case ("Ogg", .opus): .opus
    case ("Ogg", _): .ogg
    case ("Matroska", _), ("WebM", _): .mka
    case (_, .aac), (_, .alac): .m4a
    case (_, .mp3): .mp3
    default: .flac
    }
  }
}

extension OutputSettings {
  /// These settings, with the missing ones adopted from the input.
  ///
  /// A file of the input's own type keeps its codec: ALAC in M4A stays ALAC. If the codec is the
  /// input's and lossy, and in any lossy codec if `sameBitRate` is set, the bit rate is the
  /// input's, reduced by the share of `channels` that are left out. `extension` is the extension of
  /// the new file's name.
  public func completed(
    by input: AudioInformation, extension name: String, channels: AudioEdit.Channels = .all,
    sameBitRate: Bool = false
  ) -> OutputSettings {
    var settings = self
    let container = keepsVideo ? FilmContainer(rawValue: name.lowercased()) : nil
    guard let type = container?.type ?? type ?? OutputSettings.FileType(extension: name) else {
      return settings
    }
    let own = input.storage.flatMap { type.codecs.contains($0) ? $0 : nil }
    if codec == nil, let own, type.holds(input) { settings.codec = own }
    guard bitRate == nil, let codec = settings.codec ?? type.codecs.first, !codec.isLossless,
      sameBitRate || codec == input.storage, let rate = input.bitRate
    else { return settings }
    let count = channels.count(of: input)
    let wanted = Double(rate) * Double(count) / Double(max(input.channels, 1))
    let least = codec == .mp3 ? Self.leastMP3(rate: input.rate, channels: count) : 8_000
    settings.bitRate = min(max(Int(saturating: wanted), least), 512_000)
    return settings
  }

  /// Below this, LAME would lower the sample rate as well. Measured for every rate of MP3.
  private static func leastMP3(rate: Int, channels: Int) -> Int {
    Int(saturating: Double(rate) * (channels == 1 ? 5 : 8) / 3)
  }
}

extension OutputSettings.FileType {
  /// Whether an input is a file of this type.
  fileprivate func holds(_ input: AudioInformation) -> Bool {
    let type = OutputSettings.FileType.same(as: input)
    // they are one format under two names
    let names: [OutputSettings.FileType: OutputSettings.FileType] = [.mp4: .m4a, .opus: .ogg]
    return (names[type] ?? type) == (names[self] ?? self)
  }
}
