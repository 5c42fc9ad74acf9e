// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioPlayer {
  /// Starts or resumes playback. If playback has ended, it starts again from the beginning, or in
  /// reverse from the end. It does the same if no frame is left in the current direction, e.g. at
  /// the beginning of the file after you changed the direction to reverse.
  public func play() async {
    await inOrder {
      guard let loaded, state != .playing else { return }
      if state == .ended || isAtLastFrame { await startOver(loaded) }
      state = .playing
      await loaded.pipeline.request(GST_STATE_PLAYING)
      report()
    }
  }

  /// Pauses and keeps the device open. ``play()`` continues with the next frame.
  public func pause() async {
    await inOrder {
      guard let loaded, state == .playing else { return }
      state = .paused
      await loaded.pipeline.request(GST_STATE_PAUSED)
      report()
    }
  }

  /// Continues at the file time `time`, with frame accuracy and in the current direction. If
  /// playback had ended, it resumes there. A paused player stays paused.
  public func seek(to time: Duration) async {
    await inOrder {
      guard let loaded else { return }
      let target = min(max(time, .zero), duration)
      if state == .ended { state = .playing }
      guard await loaded.seek(to: target) else {
        let advice = "GStreamer cannot seek in it; convert it into another type first."
        return eventBoard.send(.warning("\(loaded.file.name): \(advice)"))
      }
      report(at: target)
    }
  }

  /// Sets the direction, and keeps the speed. The next frame is the one before or after the current
  /// frame. If playback had ended, it starts again from the beginning, or in reverse from the end
  /// of the file.
  public func setDirection(_ direction: Direction) async {
    await inOrder { await run(direction == .forward ? speed.magnitude : -speed.magnitude) }
  }

  /// Sets the speed, −8 … 8. The pitch follows, as on a tape. Below 0, it plays backwards, and at 0
  /// it rests. Other values are clamped. It reaches the new speed within 5 ms of sound.
  /// ``Settings/factor`` changes the speed as well, and the two multiply. If playback had ended, it
  /// starts again.
  public func setSpeed(_ speed: Double) async {
    await inOrder { await run(speed.isNaN ? 1 : min(max(speed, -8), 8)) }
  }

  private func run(_ speed: Double) async {
    self.speed = speed
    // -0 is backwards
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

  /// From the beginning of the file or loop, or in reverse from its end.
  func startOver(_ loaded: LoadedFile) async {
    playhead = edge(for: direction)
    _ = await loaded.seek(to: playhead)
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
