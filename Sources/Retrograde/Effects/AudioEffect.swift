// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// What sound goes through beside being reversed and scaled: elements of GStreamer's, or a
/// function of the application's own.
///
/// ```swift
/// let echo = try AudioEffect("audioecho delay=250000000 intensity=0.5", tail: .seconds(1))
/// let edit = AudioEdit(direction: .reverse, effects: [echo])
/// let echoing = AudioPlayer(sink: .silent, effects: [echo])
/// ```
///
/// The same effects give the same samples in ``AudioFile/render(_:to:settings:)`` and in an
/// ``AudioPlayer`` that plays without a jump. They get floats of 32 bits, at the rate of the file,
/// all selected channels, and have to leave both as they are.
public struct AudioEffect: Sendable, Equatable {
  /// Where an effect has its place.
  ///
  /// ```swift
  /// let swelling = try AudioEffect("audioecho delay=250000000", place: .before)
  /// ```
  @nonexhaustive
  public enum Place: String, Sendable, CaseIterable, Codable {
    /// It gets the sound of the file, before that is reversed and scaled: an echo goes backwards
    /// with the sound that it belongs to, and swells towards it. A player writes the whole file
    /// through it when the file is opened.
    case before
    /// It gets what has been reversed and scaled: an echo follows each sound, whichever way.
    case after
  }

  /// Where it has its place.
  public var place: Place
  /// Duration of the silence that follows the sound through the effect, so that its tail is kept.
  /// The output becomes longer by that. Latency of an element is flushed in any case.
  public var tail: Duration
  let work: Work

  enum Work: Sendable, Equatable {
    /// As for gst-launch-1.0.
    case elements(String)
    case tap(Tap)
  }

  /// Elements of GStreamer's, written as for gst-launch-1.0, between which sound flows:
  /// "audioecho delay=250000000 ! freeverb".
  ///
  /// Throws ``RetrogradeError/Code/elementMissing`` where GStreamer has no such element, and
  /// ``RetrogradeError/Code/effectUnusable`` where an element has no such property or a
  /// value is out of its range, where sound does not flow in and out, and where stereo of floats at
  /// 44.1 kHz does not fit or does not stay what it is. Files of other rates and channels are looked
  /// at when they are opened.
  public init(
    _ elements: String, place: Place = .after, tail: Duration = .zero
  ) throws(RetrogradeError) {
    (self.place, self.tail, work) = (place, tail, .elements(elements))
    try checkTail()
    try Pipeline.checkEffects([self], of: EffectFormat(rate: 44_100, channels: 2))
  }

  init(_ tap: Tap, place: Place, tail: Duration) {
    (self.place, self.tail, work) = (place, tail, .tap(tap))
  }

  func checkTail() throws(RetrogradeError) {
    guard tail >= .zero, tail <= .seconds(3600) else {
      throw RetrogradeError(
        .invalidArgument, "The tail of an effect is from 0 s to an hour; choose another.")
    }
  }

  /// The error for elements that failed while running.
  static func error(_ elements: String, failed reason: String) -> RetrogradeError {
    let known = elements == Tap.elements ? "A tap" : "The effect \"\(elements)\""
    return RetrogradeError(
      .effectUnusable, "\(known) failed; leave it out, or choose other settings. (\(reason))")
  }
}

extension [AudioEffect] {
  /// How much longer the sound becomes by those in this place.
  func tail(_ place: AudioEffect.Place) -> Duration {
    reduce(.zero) { $0 + ($1.place == place ? $1.tail : .zero) }
  }

  func contains(_ place: AudioEffect.Place) -> Bool { contains { $0.place == place } }
}
