// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioPlayer {
  /// Starts or resumes playback. If playback has ended, it starts again from the beginning, or from
  /// the end in reverse. The same happens if there are no frames left in the current direction,
  /// e.g. at the beginning of the file after you change the direction to reverse.
  public func play() async {
    await inOrder {
      guard let loaded, state != .playing else { return }
      if state == .ended || isAtLastFrame { await startOver(loaded) }
      state = .playing
      await loaded.pipeline.request(GST_STATE_PLAYING)
      report()
    }
  }

  /// Pauses, but keeps the device open. ``play()`` continues with the next frame.
  public func pause() async {
    await inOrder {
      guard let loaded, state == .playing else { return }
      state = .paused
      await loaded.pipeline.request(GST_STATE_PAUSED)
      report()
    }
  }

  /// Jumps to `time` in the file, accurate to the frame, and carries on in the current direction.
  /// If playback had ended, it resumes there. A paused player stays paused.
  public func seek(to time: Duration) async {
    await inOrder {
      guard let loaded else { return }
      let target = min(max(time, .zero), duration)
      if state == .ended { state = .playing }
      guard await loaded.pipeline.seek(to: target) else {
        return eventBoard.send(.warning(loaded.file.unseekable.message))
      }
      report(at: target)
    }
  }

  /// Sets the direction but keeps the speed. The next frame is the one before or after the current
  /// frame. If playback had ended, it starts again from the beginning of the file, or from the end
  /// in reverse.
  public func setDirection(_ direction: Direction) async {
    await inOrder { await run(direction == .forward ? speed.magnitude : -speed.magnitude) }
  }

  /// Sets the speed, −8 … 8. The pitch follows, as on a tape. Negative speeds play backwards, and 0
  /// stands still. Other values are clamped. It takes 5 ms of sound at most to reach the new speed.
  /// ``Settings/factor`` changes the speed as well, and the two are combined. If playback had
  /// ended, it starts again.
  public func setSpeed(_ speed: Double) async {
    await inOrder { await run(speed.clamped(to: -8...8, nan: 1)) }
  }

  private func run(_ speed: Double) async {
    self.speed = speed
    // -0 means backwards
    direction = speed.sign == .minus ? .reverse : .forward
    guard let loaded else { return }
    loaded.set(direction, speed)
    guard state == .ended else { return }
    state = .playing
    await startOver(loaded)
  }

  private var isAtLastFrame: Bool {
    settings.loop.mode == .none && playhead == (direction == .forward ? duration : .zero)
  }

  /// Starts again from the beginning of the file or loop, or from its end in reverse.
  func startOver(_ loaded: LoadedFile) async {
    playhead = edge(for: direction)
    _ = await loaded.pipeline.seek(to: playhead)
  }

  func edge(for direction: Direction) -> Duration {
    let loop = settings.loop
    // we ignore a loop that starts after the end of the file
    let isLoop = loop.mode != .none && loop.start < duration
    return direction == .forward
      ? (isLoop ? loop.start : .zero)
      : (isLoop ? loop.stop.map { min($0, duration) } : nil) ?? duration
  }

  var duration: Duration { loaded?.revbuf.duration() ?? information?.duration ?? .zero }
}
