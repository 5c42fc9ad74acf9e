// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How to change a file: which part to use, its direction, speed, pitch and level.
///
/// ```swift
/// var edit = AudioEdit(direction: .reverse, factor: try ScaleFactor(2))
/// edit.region = .seconds(1) ..< .seconds(3)
/// edit.pitch = .kept
/// try edit.validate()
/// ```
public struct AudioEdit: Sendable, Equatable {
  /// The part of the file to use, in file time. Nil means the whole file.
  public var region: Range<Duration>?
  /// The direction to read the file in.
  public var direction = Direction.forward
  /// Output duration / input duration. Values below 1 are shorter and faster.
  public var factor = ScaleFactor.one
  /// Maps input times to output times, with an accuracy of 2 ms. If nil, ``factor`` applies to the
  /// whole input. You can't combine a time map with a ``region`` or with ``Direction/reverse``.
  public var timeMap: TimeMap?
  /// How the speed changes over the output, or nil if it doesn't. You can't combine a speed curve
  /// with any other change of speed or pitch, or with ``Direction/reverse``.
  public var speedCurve: SpeedCurve?
  /// How the pitch changes.
  public var pitch = Pitch.followsSpeed
  /// How we interpolate between two frames if ``factor`` isn't 1.
  public var interpolation: Interpolation = .sinc
  /// How output frames are aligned with the original frames if ``factor`` isn't 1. If the ``pitch``
  /// is preserved or shifted, the alignment is always ``Alignment/stream``.
  public var alignment = Alignment.stream
  /// The channels to use.
  public var channels = Channels.all
  /// Gain in dB, −120 … 120. Negative values are quieter.
  public var gain = 0.0
  /// Brings the loudest sample to full scale (0 dBFS) before ``gain`` applies, so with a gain of −1
  /// it ends up at −1 dBFS. Normalizing reads the file twice.
  public var normalizes = false
  /// What to do with samples that would clip. Float files are never turned down, because floats
  /// don't clip.
  public var peaks = Peaks.clipped
  /// Duration of the linear fade from silence at the beginning.
  public var fadeIn = Duration.zero
  /// Duration of the linear fade to silence at the end. We have to read the file twice to find the
  /// end.
  public var fadeOut = Duration.zero
  /// Keeps the audio before and after ``region``, as an audio editor does. If `false`, the new file
  /// only contains the region.
  public var keepsRest = false
  /// The effects, in the order that they're applied. Each one comes either before or after reversal
  /// and scaling. Gain and fades come last.
  public var effects: [AudioEffect] = []

  /// Creates an edit with these settings, and the defaults for all others. Without arguments, it
  /// leaves the file unchanged.
  public init(
    region: Range<Duration>? = nil, direction: Direction = .forward, factor: ScaleFactor = .one,
    pitch: Pitch = .followsSpeed, channels: Channels = .all, effects: [AudioEffect] = []
  ) {
    (self.region, self.direction, self.factor) = (region, direction, factor)
    (self.pitch, self.channels, self.effects) = (pitch, channels, effects)
  }
}

// MARK: - Parts of an edit

extension AudioEdit {
  /// The channels of a file to use.
  ///
  /// ```swift
  /// try await song.render(AudioEdit(channels: .merged), to: output)
  /// ```
  @nonexhaustive
  public enum Channels: String, Sendable, CaseIterable, Codable {
    /// Every channel.
    case all
    /// The first channel alone, as mono.
    case first
    /// All channels mixed to mono.
    case merged

    func count(of input: AudioInformation) -> Int { self == .all ? input.channels : 1 }
  }

  /// How the frames of a scaled file are aligned with the original frames.
  ///
  /// ```swift
  /// var edit = AudioEdit(factor: try ScaleFactor(1.5))
  /// edit.alignment = .endpoints
  /// ```
  @nonexhaustive
  public enum Alignment: String, Sendable, CaseIterable, Codable {
    /// Every frame stays at its exact time. n frames become ⌊n × factor⌋.
    case stream
    /// The first and last frames stay put, and the others are spread evenly between them.
    case endpoints
  }

  /// What to do with samples beyond full scale.
  ///
  /// ```swift
  /// var slower = AudioEdit(factor: try ScaleFactor(1.5), pitch: .kept)
  /// slower.peaks = .limited
  /// ```
  @nonexhaustive
  public enum Peaks: String, Sendable, CaseIterable, Codable {
    /// They clip.
    case clipped
    /// A limiter turns the sound down for 10 ms before and after each peak, by the same amount in
    /// all channels. All other samples stay as they are.
    case limited
    /// The whole output is turned down just as far as needed. If samples would clip, we read the
    /// file a second time.
    case guarded
  }
}
