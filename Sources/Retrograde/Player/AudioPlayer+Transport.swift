// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioPlayer {
  /// Resumes playback. A player that has ended starts again, at the beginning, or in reverse at the
  /// end. So does one that waits where its direction ends, such as a new one that was turned.
  public func play() async {
    await inOrder {
      guard let deck, state != .playing else { return }
      if state == .ended || isAtLastFrame { await startOver(deck) }
      state = .playing
      await deck.pipeline.request(GST_STATE_PLAYING)
      report()
    }
  }

  /// Pauses, and keeps the device open; ``play()`` continues with the next frame.
  public func pause() async {
    await inOrder {
      guard let deck, state == .playing else { return }
      state = .paused
      await deck.pipeline.request(GST_STATE_PAUSED)
      report()
    }
  }

  /// Continues at `time`, in the file's own time, exact to the frame, in the present direction. A
  /// player that has ended plays from there; a paused one stays paused.
  public func seek(to time: Duration) async {
    await inOrder {
      guard let deck else { return }
      let place = min(max(time, .zero), duration)
      if state == .ended { state = .playing }
      guard await deck.seek(to: place, direction) else {
        return eventBoard.send(.warning("\(deck.file.name): GStreamer cannot seek in it."))
      }
      report(at: place)
    }
  }

  /// Plays in `direction` from now on: the frame after n is n − 1, or n + 1. A player that has
  /// ended plays back from there.
  public func turn(_ direction: AudioEdit.Direction) async {
    await inOrder {
      self.direction = direction
      guard let deck else { return }
      deck.set(direction)
      guard state == .ended else { return }
      state = .playing
      await startOver(deck)
    }
  }

  /// Whether nothing of the file is left in the present direction.
  private var isAtLastFrame: Bool {
    loop.mode == .none && place == (direction == .forward ? duration : .zero)
  }

  /// Plays from the beginning of the file, or of the loop, in the present direction.
  func startOver(_ deck: Deck) async {
    place = edge(for: direction)
    _ = await deck.seek(to: place, direction)
  }

  /// The position where the file, or the loop, begins in this direction.
  func edge(for direction: AudioEdit.Direction) -> Duration {
    // a loop after the end does not count
    let isLoop = loop.mode != .none && loop.start < duration
    return direction == .forward
      ? (isLoop ? loop.start : .zero)
      : (isLoop ? loop.stop.map { min($0, duration) } : nil) ?? duration
  }

  /// Duration of the file; zero until it is known.
  var duration: Duration { deck?.revbuf.duration() ?? information?.duration ?? .zero }
}
