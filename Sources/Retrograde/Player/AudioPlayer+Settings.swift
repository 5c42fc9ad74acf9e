// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension AudioPlayer {
  /// Sets the factor, 0.01 … 100. It takes effect within a few ms of sound. The pitch changes
  /// with it unless ``pitch`` says otherwise.
  public func setFactor(_ factor: ScaleFactor) async {
    await inOrder {
      self.factor = factor
      loaded?.set(factor)
    }
  }

  /// Lets the pitch follow the factor, preserves it, or shifts it. It takes effect within a
  /// fraction of a second of sound. Semitones are clamped to −24 … 24.
  public func setPitch(_ pitch: Pitch) async {
    await inOrder {
      self.pitch = pitch.clamped
      loaded?.set(self.pitch)
    }
  }

  /// Sets the interpolation. It takes effect at the next frame.
  public func setInterpolation(_ interpolation: Interpolation) async {
    await inOrder {
      self.interpolation = interpolation
      loaded?.set(interpolation)
    }
  }

  /// Sets the channels. It takes effect at the next buffer.
  public func setChannels(_ channels: AudioEdit.Channels) async {
    await inOrder {
      self.channels = channels
      loaded?.set(channels)
    }
  }

  /// Sets the volume, 0 … 1 as on a fader. Samples are multiplied by its cube, so 0.5 is 18 dB
  /// quieter. Other values are clamped.
  public func setVolume(_ volume: Double) async {
    await inOrder {
      self.volume = volume.isNaN ? 1 : min(max(volume, 0), 1)
      loaded?.set(volume: self.volume)
    }
  }

  /// Sets the loop. A new mode takes effect immediately. A new marker takes effect when the loop
  /// starts again, or at the next seek. If you open another file, the loop is gone.
  public func setLoop(_ loop: Loop) async {
    await inOrder {
      self.loop = loop
      loaded?.set(loop)
    }
  }
}

extension Pitch {
  /// The semitones are clamped to their range, and NaN becomes 0.
  fileprivate var clamped: Pitch {
    func clamped(_ semitones: Double) -> Double {
      semitones.isNaN ? 0 : min(max(semitones, -24), 24)
    }
    return Pitch(
      isKept: isKept, semitones: clamped(semitones), formants: formants,
      formantSemitones: clamped(formantSemitones))
  }
}

extension LoadedFile {
  /// Sets direction and speed. To `revbuf`, only another value is a request. After a ping-pong loop
  /// has turned it away from the value of now, that value is another one only by way of its
  /// opposite.
  func set(_ direction: Direction, _ speed: Double) {
    if revbuf.choice(of: "direction") != revbuf.choice(of: "current-direction") {
      revbuf.set("direction", direction.opposite.rawValue)
    }
    revbuf.set("direction", direction.rawValue)
    revbuf.set("speed", speed)
  }

  func set(_ factor: ScaleFactor) { timescale.set("factor", factor.value) }

  func set(_ pitch: Pitch) {
    timescale.set("keep-pitch", String(pitch.isKept))
    timescale.set("semitones", pitch.semitones)
    timescale.set("formants", pitch.formants.rawValue)
    timescale.set("formant-semitones", pitch.formantSemitones)
  }

  func set(_ interpolation: Interpolation) {
    timescale.set("interpolation", interpolation.name)
    timescale.set("quality", String(interpolation.quality))
  }

  func set(volume: Double) { fader.set("volume", volume * volume * volume) }

  func set(_ channels: AudioEdit.Channels) {
    pick(channels == .first && format.channels > 1)
    merging.set("caps", channels == .all ? "ANY" : "audio/x-raw, channels=1")
  }

  /// Sets the mixing matrix of the converter that copies the first channel to all other channels.
  /// The converter reads the matrix only when its caps change, so we change the output caps, too.
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

  func set(_ loop: Loop) {
    revbuf.set("loop-start", loop.start)
    if let stop = loop.stop {
      revbuf.set("loop-stop", stop)
    } else {
      revbuf.set("loop-stop", String(UInt64.max))  // the end of the file
    }
    revbuf.set("loop", loop.mode.rawValue)
  }
}
