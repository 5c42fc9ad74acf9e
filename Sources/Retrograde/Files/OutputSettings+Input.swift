// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension OutputSettings.FileType {
  /// The same type as the input if we can write it, or else the nearest one. A bare AAC stream
  /// becomes M4A, and a video becomes Matroska with just the sound. Everything else becomes FLAC,
  /// which is lossless.
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
  /// These settings, with missing values filled in from the input.
  ///
  /// If the new file has the input's type, it keeps the codec: ALAC in M4A stays ALAC. If both have
  /// the same lossy codec or, with `sameBitRate`, any two lossy codecs, we use the input's bit
  /// rate. If `channels` leaves out channels, we reduce the bit rate in proportion. `extension` is
  /// the extension of the new file.
  public func completed(
    by input: AudioInformation, extension name: String, channels: AudioEdit.Channels = .all,
    sameBitRate: Bool = false
  ) -> OutputSettings {
    var settings = self
    let container = keepsVideo ? VideoContainer(rawValue: name.lowercased()) : nil
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
    settings.bitRate =
      codec == .mp3
      ? Self.mp3BitRate(near: wanted, rate: input.rate, channels: count)
      : min(max(Int(saturating: wanted), 8_000), 512_000)
    return settings
  }

  /// LAME would use the next bit rate up.
  private static func mp3BitRate(near wanted: Double, rate: Int, channels: Int) -> Int {
    let least = minMP3(rate: rate, channels: channels)
    let all = MP3FrameHeader.bitRates(of: rate).map { $0 * 1000 }
    return all.filter { $0 >= least }.min { abs(Double($0) - wanted) < abs(Double($1) - wanted) }
      ?? all.last ?? least
  }

  /// The lowest bit rate where LAME still keeps the sample rate, as measured for every MP3 sample
  /// rate.
  private static func minMP3(rate: Int, channels: Int) -> Int {
    Int(saturating: Double(rate) * (channels == 1 ? 5 : 8) / 3)
  }
}

extension OutputSettings.FileType {
  fileprivate func holds(_ input: AudioInformation) -> Bool {
    let type = OutputSettings.FileType.same(as: input)
    // types that have the same container
    let names: [OutputSettings.FileType: OutputSettings.FileType] = [.mp4: .m4a, .opus: .ogg]
    return (names[type] ?? type) == (names[self] ?? self)
  }
}
