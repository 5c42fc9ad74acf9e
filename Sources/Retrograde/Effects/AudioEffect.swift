// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// A processing step before or after reversal and scaling: GStreamer elements, or your own
/// function.
///
/// ```swift
/// let echo = try AudioEffect("audioecho delay=250000000 intensity=0.5", tail: .seconds(1))
/// let edit = AudioEdit(direction: .reverse, effects: [echo])
/// let echoing = AudioPlayer(sink: .silent, effects: [echo])
/// ```
///
/// The same effects return the same samples in ``AudioFile/render(_:to:settings:progress:)`` and in
/// an ``AudioPlayer`` that plays without seeking. Effects receive 32-bit floats at the rate of the
/// file, in all selected channels. They mustn't change the rate or the number of channels.
public struct AudioEffect: Sendable, Equatable {
  /// Says if an effect applies before or after reversal and scaling.
  ///
  /// ```swift
  /// let swelling = try AudioEffect("audioecho delay=250000000", place: .before)
  /// ```
  @nonexhaustive
  public enum Place: String, Sendable, CaseIterable, Codable {
    /// The effect applies to the sound of the file, before reversal and scaling. In reverse, each
    /// echo comes before its sound, and swells towards it. When you open a file, a player first
    /// renders all of it through such effects.
    case before
    /// The effect applies to the reversed and scaled sound, so an echo follows its sound in either
    /// direction.
    case after
  }

  /// Where the effect applies: before or after reversal and scaling.
  public var place: Place
  /// Duration of silence to append to the effect's input, which gives the effect time to finish,
  /// e.g. for the last echoes. It makes the output longer by the same amount. An element that only
  /// delays audio doesn't need a tail, because it outputs what's left at the end of the stream.
  public var tail: Duration
  /// Written as for gst-launch-1.0.
  let elements: String
  /// The function that gets the samples, if the effect is a tap.
  let tap: Tap?

  /// Creates an effect from one or more linked elements, as you write them for gst-launch-1.0:
  /// "audioecho delay=250000000 ! freeverb".
  ///
  /// Throws ``RetrogradeError/Code/elementMissing`` if GStreamer doesn't have the element. Throws
  /// ``RetrogradeError/Code/effectUnusable`` if a property doesn't exist or a value is out of
  /// range, if the elements have no audio input or output, if they reject stereo floats at 44.1
  /// kHz, or if they change the rate or the number of channels. When you open a file, we check that
  /// they accept its format.
  public init(
    _ elements: String, place: Place = .after, tail: Duration = .zero
  ) throws(RetrogradeError) {
    (self.place, self.tail, self.elements, tap) = (place, tail, elements, nil)
    try checkTail()
    try Pipeline.checkEffects([self], of: Format(rate: 44_100, channels: 2))
  }

  init(_ tap: Tap, place: Place, tail: Duration) {
    (self.place, self.tail, elements, self.tap) = (place, tail, Tap.elements, tap)
  }

  func checkTail() throws(RetrogradeError) {
    try require(
      tail >= .zero && tail <= .seconds(3600),
      "The tail of an effect must be from 0 s to an hour; choose another.")
  }

  static func error(_ elements: String, failed reason: String) -> RetrogradeError {
    let known = elements == Tap.elements ? "A tap" : "The effect \"\(elements)\""
    return RetrogradeError(
      .effectUnusable, "\(known) failed; leave it out, or choose other settings. (\(reason))")
  }
}

extension [AudioEffect] {
  func tail(_ place: AudioEffect.Place) -> Duration {
    reduce(.zero) { $0 + ($1.place == place ? $1.tail : .zero) }
  }

  func contains(_ place: AudioEffect.Place) -> Bool { contains { $0.place == place } }
}
