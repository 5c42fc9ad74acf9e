// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// How a file is changed: its part, direction, speed, pitch and level.
///
/// ```swift
/// var edit = AudioEdit(direction: .reverse, factor: try ScaleFactor(2))
/// edit.region = .seconds(1) ..< .seconds(3)
/// edit.pitch = .kept
/// try edit.validate()
/// ```
public struct AudioEdit: Sendable, Equatable {
  /// The part of the file, in its own time; nil for all of it.
  public var region: Range<Duration>?
  /// Which way it is read.
  public var direction: Direction
  /// Output duration / input duration; below 1 is shorter and faster.
  public var factor: ScaleFactor
  /// Output times of moments of the input, exact to 2 ms; nil if ``factor`` holds for the whole
  /// input. Cannot be combined with a ``region`` or with ``Direction/reverse``.
  public var timeMap: TimeMap?
  /// How the pitch changes.
  public var pitch: Pitch
  /// How values between two frames are found, where ``factor`` is not 1.
  public var interpolation: Interpolation
  /// Length of the filter of ``Interpolation/sinc``, 0 … 10.
  public var quality: Int
  /// How the new frames lie on the original ones, if ``factor`` is not 1. If the ``pitch`` is kept
  /// or moved it is always ``Alignment/stream``.
  public var alignment: Alignment
  /// Which channels are used.
  public var channels: Channels
  /// The behaviour if a decoder never returns the same audio twice.
  public var seam: Seam
  /// Gain of the sound in dB, −120 … 120; below 0 is quieter.
  public var gain: Double
  /// Whether the loudest sample comes to full scale (0 dBFS) before ``gain`` is added:
  /// with a gain of −1 it comes to −1 dBFS. The file is read twice for that.
  public var normalizes: Bool
  /// Whether the level of the whole output is lowered, if samples would be clipped otherwise, by
  /// the necessary amount. The file is read twice then. A new file that holds floats needs no
  /// guard: nothing is clipped.
  public var guardsPeaks: Bool
  /// Duration of the rise from silence at the beginning, in a straight line.
  public var fadeIn: Duration
  /// Duration of the fall to silence at the end. The file is read twice, to know where that is.
  public var fadeOut: Duration
  /// Whether the audio before and after ``region`` is kept, as in an editor. If not, the region
  /// alone becomes the new file.
  public var keepsRest: Bool
  /// The effects that the sound goes through, in this order, each in its place. Level and fades
  /// come after them all.
  public var effects: [AudioEffect]

  /// By default, the file unchanged.
  public init(
    region: Range<Duration>? = nil, direction: Direction = .forward, factor: ScaleFactor = .one,
    pitch: Pitch = .following, interpolation: Interpolation = .sinc, quality: Int = 6,
    alignment: Alignment = .stream, channels: Channels = .all, seam: Seam = .smooth,
    gain: Double = 0, normalizes: Bool = false, guardsPeaks: Bool = false,
    fadeIn: Duration = .zero, fadeOut: Duration = .zero, keepsRest: Bool = false,
    timeMap: TimeMap? = nil,
    effects: [AudioEffect] = []
  ) {
    self.region = region
    self.direction = direction
    self.factor = factor
    self.pitch = pitch
    self.interpolation = interpolation
    self.quality = quality
    self.alignment = alignment
    self.channels = channels
    self.seam = seam
    self.gain = gain
    self.normalizes = normalizes
    self.guardsPeaks = guardsPeaks
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.keepsRest = keepsRest
    self.timeMap = timeMap
    self.effects = effects
  }
}

// MARK: - Parts of an edit

extension AudioEdit {
  /// Which way audio is played.
  ///
  /// ```swift
  /// await player.turn(player.direction.opposite)
  /// ```
  public enum Direction: String, Sendable, CaseIterable, Codable {
    /// From the beginning to the end.
    case forward
    /// From the end to the beginning.
    case reverse

    /// The other direction.
    public var opposite: Direction { self == .forward ? .reverse : .forward }
  }

  /// Which channels of a file are used.
  ///
  /// ```swift
  /// try await song.reverse(to: output, channels: .merged).finish()
  /// ```
  @nonexhaustive
  public enum Channels: String, Sendable, CaseIterable, Codable {
    /// Every channel, in its place.
    case all
    /// The first channel alone, as mono.
    case first
    /// The mix of all channels, as mono.
    case merged

    /// The number of the channels that remain.
    func count(of input: AudioInformation) -> Int { self == .all ? input.channels : 1 }
  }

  /// How values between two frames are found; the element `timescale` describes each.
  ///
  /// ```swift
  /// await player.setInterpolation(.linear)
  /// ```
  @nonexhaustive
  public enum Interpolation: String, Sendable, CaseIterable, Codable {
    /// The nearest frame.
    case nearest
    /// A straight line between two frames.
    case linear
    /// Smoothstep when lengthening, a straight line when shortening.
    case smooth
    /// A cubic through four frames.
    case cubic
    /// A windowed sinc that does not alias.
    case sinc
  }

  /// How formants change, the resonances that distinguish voices of men, women and children.
  ///
  /// ```swift
  /// let higher = AudioEdit.Pitch(semitones: 4, formants: .keep)
  /// ```
  public enum Formants: String, Sendable, CaseIterable, Codable {
    /// They move with the pitch.
    case follow
    /// They stay at their frequencies.
    case keep
  }

  /// How the pitch changes.
  ///
  /// ```swift
  /// let lower = AudioEdit(pitch: AudioEdit.Pitch(semitones: -2))
  /// let slower = AudioEdit(factor: try ScaleFactor(1.25), pitch: .kept)
  /// ```
  public struct Pitch: Sendable, Equatable, Codable {
    /// Whether it is kept, whatever the factor. If not, it follows as on a tape: twice as long is
    /// an octave lower.
    public var isKept: Bool
    /// Semitones by which it is moved in addition, −24 … 24; fractions are allowed. The duration
    /// does not change.
    public var semitones: Double

    /// How formants change when the pitch moves.
    public var formants: Formants
    /// Semitones by which formants are moved in addition, −24 … 24.
    public var formantSemitones: Double

    /// By default it follows the factor.
    public init(
      isKept: Bool = false, semitones: Double = 0, formants: Formants = .follow,
      formantSemitones: Double = 0
    ) {
      self.isKept = isKept
      self.semitones = semitones
      self.formants = formants
      self.formantSemitones = formantSemitones
    }

    /// It follows the factor.
    public static let following = Pitch()
    /// The pitch is kept.
    public static let kept = Pitch(isKept: true)

    /// Whether pitch is decoupled from speed.
    var isChanged: Bool {
      isKept || semitones != 0 || formants != .follow || formantSemitones != 0
    }

    /// With the semitones clamped to their range; 0 for NaN.
    var clamped: Pitch {
      Pitch(
        isKept: isKept, semitones: Self.clamped(semitones), formants: formants,
        formantSemitones: Self.clamped(formantSemitones))
    }

    private static func clamped(_ semitones: Double) -> Double {
      semitones.isNaN ? 0 : min(max(semitones, -24), 24)
    }
  }

  /// How the frames of a scaled file lie on those of the original.
  ///
  /// ```swift
  /// let edit = AudioEdit(factor: try ScaleFactor(1.5), alignment: .endpoints)
  /// ```
  @nonexhaustive
  public enum Alignment: String, Sendable, CaseIterable, Codable {
    /// Every frame at its exact time: n frames become ⌊n × factor⌋.
    case stream
    /// The first and the last frame are kept, and the rest spread evenly between them.
    case endpoints
  }

  /// The behaviour if a decoder never returns the same audio twice, when playing backwards.
  ///
  /// ```swift
  /// try await song.reverse(to: output, seam: .exact).finish()
  /// ```
  @nonexhaustive
  public enum Seam: String, Sendable, CaseIterable, Codable {
    /// Fade from one take into the other within 5 ms.
    case smooth
    /// Keep the whole stream instead of fetching it in blocks. A region is fetched
    /// as with ``smooth``.
    case exact
  }
}
