// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

extension Player {
  /// Makes it last `factor` times as long, 0.01 … 100, and its pitch follow unless it is
  /// kept, within a few milliseconds of sound. Values outside are moved inside.
  public func setFactor(_ factor: Double) async {
    guard !factor.isNaN else { return }
    await inTurn {
      self.factor = min(max(factor, 0.01), 100)
      deck?.set(factor: self.factor)
    }
  }

  /// Keeps the pitch whatever the factor, or lets it follow. Takes hold within a fraction of
  /// a second of sound.
  public func setKeepPitch(_ isKept: Bool) async {
    await inTurn {
      pitch.isKept = isKept
      deck?.set(pitch)
    }
  }

  /// Moves the pitch by so many semitones, −24 … 24, and leaves the duration alone. Takes hold
  /// within a fraction of a second of sound. Values outside are moved inside.
  public func setSemitones(_ semitones: Double) async {
    guard !semitones.isNaN else { return }
    await inTurn {
      pitch.semitones = min(max(semitones, -24), 24)
      deck?.set(pitch)
    }
  }

  /// Takes hold with the next frame.
  public func setInterpolation(_ interpolation: Interpolation) async {
    await inTurn {
      self.interpolation = interpolation
      deck?.set(interpolation)
    }
  }

  /// Takes hold with the next buffer.
  public func setChannels(_ channels: ChannelSelection) async {
    await inTurn {
      self.channels = channels
      deck?.set(channels)
    }
  }

  /// Switching it on or off takes hold at once, another marker with the next lap or a seek.
  /// It goes when another file is opened.
  public func setLoop(_ loop: Loop) async {
    await inTurn {
      self.loop = loop
      deck?.set(loop)
    }
  }
}

extension Deck {
  func set(_ direction: Direction) { revbuf.set("direction", direction.rawValue) }

  func set(factor: Double) { timescale.set("factor", factor) }

  func set(_ pitch: Pitch) {
    timescale.set("keep-pitch", String(pitch.isKept))
    timescale.set("semitones", pitch.semitones)
  }

  func set(_ interpolation: Interpolation) {
    timescale.set("interpolation", interpolation.rawValue)
  }

  func set(_ channels: ChannelSelection) {
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

  func set(_ loop: Loop) {
    revbuf.set("loop-start", loop.start)
    if let stop = loop.stop {
      revbuf.set("loop-stop", stop)
    } else {
      revbuf.set("loop-stop", String(UInt64.max))  // the end
    }
    revbuf.set("loop", loop.mode.rawValue)
  }
}
