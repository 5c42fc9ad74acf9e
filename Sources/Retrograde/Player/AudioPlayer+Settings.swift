// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioPlayer {
  /// How a player sounds. The next file gets the same settings, except for the loop and its ladder.
  ///
  /// ```swift
  /// var settings = await player.settings
  /// settings.factor = try ScaleFactor(0.5)
  /// settings.pitch = .kept
  /// await player.apply(settings)
  /// ```
  public struct Settings: Sendable, Hashable {
    /// Duration of the output / duration of the file. Values below 1 are faster. A change takes
    /// effect within a few ms of sound.
    public var factor = ScaleFactor.one
    /// How the pitch changes. A change takes effect within a fraction of a second of sound.
    /// Semitones are clamped to −24 … 24.
    public var pitch = Pitch.followsSpeed
    /// How we interpolate between two frames if the factor isn't 1. A change takes effect at the
    /// next frame.
    public var interpolation: Interpolation = .sinc
    /// The channels that you hear. A change takes effect at the next buffer.
    public var channels = AudioEdit.Channels.all
    /// The volume as on a fader, 0 … 1. Samples are multiplied by its cube, so 0.5 is 18 dB
    /// quieter. Other values are clamped.
    public var volume = 1.0
    /// The loop of the open file. A new mode takes effect immediately. A new marker takes effect
    /// when the loop starts again, or at the next seek.
    public var loop = Loop()
    /// A factor for each pass of the loop. Overrides ``factor`` unless empty. The second one takes
    /// effect at the first frame after the loop's first jump, and so on. The last one stays in
    /// effect.
    public var ladder: [ScaleFactor] = []

    /// Creates the settings of a new player.
    public init() {}

    fileprivate var clamped: Settings {
      var settings = self
      settings.pitch.semitones = pitch.semitones.clamped(to: -24...24, nan: 0)
      settings.pitch.formantSemitones = pitch.formantSemitones.clamped(to: -24...24, nan: 0)
      settings.volume = volume.clamped(to: 0...1, nan: 1)
      return settings
    }
  }

  /// Changes how the player sounds. Settings that are the same as before have no effect.
  public func apply(_ settings: Settings) async {
    await inOrder {
      let new = settings.clamped
      loaded?.set(new, insteadOf: self.settings)
      self.settings = new
    }
  }
}

extension Double {
  func clamped(to range: ClosedRange<Double>, nan: Double) -> Double {
    isNaN ? nan : min(max(self, range.lowerBound), range.upperBound)
  }
}

extension LoadedFile {
  /// Sets everything but the loop if there's no `old`.
  func set(_ new: AudioPlayer.Settings, insteadOf old: AudioPlayer.Settings? = nil) {
    if new.ladder != old?.ladder || new.ladder.isEmpty && new.factor != old?.factor {
      playback.begin(new.ladder.isEmpty ? [new.factor] : new.ladder, timescale)
    }
    if new.pitch != old?.pitch || new.interpolation != old?.interpolation {
      timescale.set("keep-pitch", String(new.pitch.isKept))
      timescale.set("semitones", new.pitch.semitones)
      timescale.set("formants", new.pitch.formants.rawValue)
      timescale.set("formant-semitones", new.pitch.formantSemitones)
      timescale.set("interpolation", new.interpolation.name)
      timescale.set("quality", String(new.interpolation.quality))
    }
    if new.channels != old?.channels { set(new.channels) }
    if new.volume != old?.volume {
      pipeline.element("fader")?.set("volume", new.volume * new.volume * new.volume)
    }
    if let old, new.loop != old.loop { set(new.loop) }
  }

  /// Sets the direction and the speed. `revbuf` ignores a value that's already set, so if a
  /// ping-pong loop has turned it round since, we have to set the opposite value first.
  func set(_ direction: Direction, _ speed: Double) {
    if revbuf.choice(of: "direction") != revbuf.choice(of: "current-direction") {
      revbuf.set("direction", direction.opposite.rawValue)
    }
    revbuf.set("direction", direction.rawValue)
    revbuf.set("speed", speed)
  }

  /// Sets the mixing matrix of a converter. It only reads the matrix when its caps change, so we
  /// change the output caps, too.
  private func set(_ channels: AudioEdit.Channels) {
    let isPicked = channels == .first && format.channels > 1
    let others = String(repeating: ", (float)0", count: max(format.channels - 1, 0))
    pipeline.element("picking")?.set("mix-matrix", isPicked ? "<<(float)1\(others)>>" : "<>")
    let other = format.sample == "F64LE" ? "F32LE" : "F64LE"
    pipeline.element("picked")?.set(
      "caps",
      channels == .all ? "ANY" : "audio/x-raw,channels=1" + (isPicked ? ",format=\(other)" : ""))
  }

  private func set(_ loop: Loop) {
    revbuf.set("loop-start", loop.start)
    // by default, that's the end of the file
    let stop = loop.stop.map { GstClockTime(clamping: $0.nanoseconds) } ?? cgst_no_time
    revbuf.set("loop-stop", String(stop))
    revbuf.set("loop", loop.mode.rawValue)
  }
}
