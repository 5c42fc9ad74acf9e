// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/// Tells us how to extrapolate the input after its end. There, analysis windows reach beyond the
/// end. If they found silence, the last 40 ms of the sound would be up to 12 dB too soft.
///
/// We compare the end of the sound with the sound 5 to 50 ms before it, and repeat the audio from
/// the best match to the end, as in WSOLA (Verhelst and Roelands, 1993). A sound that decays goes
/// on decaying.
struct Continuation {
  /// Frames in the repeated section, or 0 for silence.
  private(set) var period = 0
  /// Each repetition is this much louder than the one before: at most 1, or 0 for silence.
  private(set) var gain: Float = 0

  private let sizes: StretchSizes
  private let longest: Int
  /// The first search compares sums of 2^`shift` frames.
  private let shift: Int
  /// For each guide channel (`StretchHistory`), sums of 2^`shift` successive samples, from the last
  /// one backwards.
  private let sums: UnsafeMutablePointer<Float>
  private let room: Int

  init(_ sizes: StretchSizes, guides: Int, _ memory: inout ScratchMemory) {
    self.sizes = sizes
    let compared = sizes.frames(milliseconds: 20)
    longest = min(sizes.frames(milliseconds: 50), sizes.kept &- compared)
    // 4.5 to 9 kHz keep most of a sound's power
    var shift = 0
    while 9000 &<< shift <= sizes.rate { shift &+= 1 }
    self.shift = shift
    room = (longest &+ compared) &>> shift &+ 1
    sums = memory.allocate(Float.self, guides &* room)
  }

  mutating func find(in history: StretchHistory) {
    (period, gain) = (0, 0)
    let most = sizes.frames(milliseconds: 20) &+ longest
    let stream = Int(truncatingIfNeeded: min(history.end, Int64(truncatingIfNeeded: most)))
    let compared = min(sizes.frames(milliseconds: 20), stream &>> 2)
    guard compared &>> shift > 0 else { return }
    addUp(history)
    let shortest = min(sizes.frames(milliseconds: 5), compared)
    let middle = coarsest(compared, from: shortest, to: stream &- compared, history.guides)
    period = finest(
      history, compared, from: max(middle &- (1 &<< shift), shortest),
      to: min(middle &+ (1 &<< shift), stream &- compared))
    gain = gain(history, compared)
  }

  /// The best lag, in frames, among multiples of 2^`shift`.
  private func coarsest(_ compared: Int, from shortest: Int, to longest: Int, _ guides: Int)
    -> Int
  {
    var (best, bestLag) = (Float.infinity, shortest)
    var lag = max(shortest &>> shift, 1)
    while lag &<< shift <= longest {
      let difference = difference(compared &>> shift, lag, guides)
      if difference < best { (best, bestLag) = (difference, lag &<< shift) }
      lag &+= 1
    }
    return bestLag
  }

  private func finest(
    _ history: StretchHistory, _ compared: Int, from shortest: Int, to longest: Int
  ) -> Int {
    var (best, bestLag) = (Float.infinity, shortest)
    var lag = shortest
    while lag <= longest {
      let difference = difference(history, compared, lag)
      if difference < best { (best, bestLag) = (difference, lag) }
      lag &+= 1
    }
    return bestLag
  }

  private func addUp(_ history: StretchHistory) {
    for guide in upTo(history.guides) {
      var frame = history.end
      for point in upTo(room) {
        var sum: Float = 0
        let first = frame &- (1 &<< Int64(truncatingIfNeeded: shift))
        while frame > first {
          frame &-= 1
          sum += history.sample(ofGuide: guide, frame)
        }
        sums[guide &* room &+ point] = sum
      }
    }
  }

  /// The energy of the difference between the last `points` sums and those `lag` sums before.
  private func difference(_ points: Int, _ lag: Int, _ guides: Int) -> Float {
    var sum: Float = 0
    for guide in upTo(guides) {
      let row = sums + guide &* room
      var point = 0
      while point < min(points, room &- lag) {
        let distance = row[point] - row[point &+ lag]
        sum += distance * distance
        point &+= 1
      }
    }
    return sum
  }

  /// The same for the last `compared` frames and those `lag` frames before, at every
  /// `stride`-th frame.
  private func difference(_ history: StretchHistory, _ compared: Int, _ lag: Int) -> Float {
    var sum: Float = 0
    for guide in upTo(history.guides) {
      var frame = history.end &- Int64(truncatingIfNeeded: compared)
      while frame < history.end {
        let before = history.sample(ofGuide: guide, frame &- Int64(truncatingIfNeeded: lag))
        let distance = history.sample(ofGuide: guide, frame) - before
        sum += distance * distance
        frame &+= Int64(truncatingIfNeeded: stride)
      }
    }
    return sum
  }

  private var stride: Int { ((1 &<< shift) &+ 1) &>> 1 }

  /// A sustained sound repeats at gain 1. The gain is lower if the power of the last 10 ms is more
  /// than 6 dB below the mean power of these 10 ms and the period before them. If the end is more
  /// than 6 dB above the sound one period earlier, it's an onset. We don't know what would follow,
  /// so the gain is 0.
  private func gain(_ history: StretchHistory, _ compared: Int) -> Float {
    let all = power(history, compared, gap: 0)
    if power(history, compared, gap: period) < 0.25 * all { return 0 }
    let last = min(sizes.frames(milliseconds: 10), compared)
    let ratio =
      power(history, last, gap: 0)
      / max(power(history, period &+ last, gap: 0), .leastNormalMagnitude)
    return ratio >= 0.25 ? 1 : ratio.squareRoot()
  }

  /// The mean power of `frames` frames, of which the last is `gap` frames before the end.
  private func power(_ history: StretchHistory, _ frames: Int, gap: Int) -> Float {
    var (sum, count) = (Float(0), Float(0))
    let end = history.end &- Int64(truncatingIfNeeded: gap)
    var frame = end &- Int64(truncatingIfNeeded: frames)
    while frame < end {
      for guide in upTo(history.guides) {
        let sample = history.sample(ofGuide: guide, frame)
        sum += sample * sample
      }
      count += 1
      frame &+= Int64(truncatingIfNeeded: stride)
    }
    return count > 0 ? sum / count : 0
  }
}
