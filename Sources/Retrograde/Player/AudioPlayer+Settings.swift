// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioPlayer {
  /// Makes it last `factor` times as long, and its pitch follow unless it is kept, within a
  /// few milliseconds of sound.
  public func setFactor(_ factor: ScaleFactor) async {
    await inOrder {
      self.factor = factor
      deck?.set(factor)
    }
  }

  /// Lets the pitch follow the factor, keeps it, or moves it, within a fraction of a second of
  /// sound. Semitones outside of −24 … 24 are moved inside.
  public func setPitch(_ pitch: AudioEdit.Pitch) async {
    await inOrder {
      self.pitch = pitch.clamped
      deck?.set(self.pitch)
    }
  }

  /// Takes effect at the next frame.
  public func setInterpolation(_ interpolation: AudioEdit.Interpolation) async {
    await inOrder {
      self.interpolation = interpolation
      deck?.set(interpolation)
    }
  }

  /// Takes effect at the next buffer.
  public func setChannels(_ channels: AudioEdit.Channels) async {
    await inOrder {
      self.channels = channels
      deck?.set(channels)
    }
  }

  /// Lowers the level below the file's: 0 … 1 as on a fader; samples are multiplied by its cube.
  /// 0.5 is 18 dB quieter. Values outside are clamped.
  public func setVolume(_ volume: Double) async {
    await inOrder {
      self.volume = volume.isNaN ? 1 : min(max(volume, 0), 1)
      deck?.set(volume: self.volume)
    }
  }

  /// Switching it on or off takes effect immediately, a moved marker at the next pass or seek.
  /// Opening another file clears it.
  public func setLoop(_ loop: Loop) async {
    await inOrder {
      self.loop = loop
      deck?.set(loop)
    }
  }
}

extension Deck {
  func set(_ direction: AudioEdit.Direction) { revbuf.set("direction", direction.rawValue) }

  func set(_ factor: ScaleFactor) { timescale.set("factor", factor.value) }

  func set(_ pitch: AudioEdit.Pitch) {
    timescale.set("keep-pitch", String(pitch.isKept))
    timescale.set("semitones", pitch.semitones)
    timescale.set("formants", pitch.formants.rawValue)
    timescale.set("formant-semitones", pitch.formantSemitones)
  }

  func set(_ interpolation: AudioEdit.Interpolation) {
    timescale.set("interpolation", interpolation.rawValue)
  }

  func set(volume: Double) { fader.set("volume", volume * volume * volume) }

  func set(_ channels: AudioEdit.Channels) {
    pick(channels == .first && format.channels > 1)
    merging.set("caps", channels == .all ? "ANY" : "audio/x-raw, channels=1")
  }

  /// A converter looks at its matrix when the format around it changes, so that is changed, too.
  private func pick(_ isFirstAlone: Bool) {
    guard isFirstAlone else {
      picking.set("mix-matrix", "<>")
      picked.set("caps", "ANY")
      return
    }
    let others = String(repeating: ", (float)0", count: format.channels - 1)
    let rows = Array(repeating: "<(float)1\(others)>", count: format.channels)
    picking.set("mix-matrix", "<\(rows.joined(separator: ", "))>")
    picked.set("caps", "audio/x-raw, format=\(format.sample == "F64LE" ? "F32LE" : "F64LE")")
  }

  func set(_ loop: AudioPlayer.Loop) {
    revbuf.set("loop-start", loop.start)
    if let stop = loop.stop {
      revbuf.set("loop-stop", stop)
    } else {
      revbuf.set("loop-stop", String(UInt64.max))  // the end
    }
    revbuf.set("loop", loop.mode.rawValue)
  }
}
