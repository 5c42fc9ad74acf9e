// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import CGStreamer

extension AudioPlayer {
  /// Starts or resumes playback. If playback has ended, it starts again from the beginning, or in
  /// reverse from the end. The same applies if no frame is left in the current direction, for
  /// example at the beginning of the file after the direction has been changed to reverse.
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

  /// Continues at the file time `time`, with frame accuracy and in the current direction.
  /// If playback had ended, it resumes there. A paused player stays paused.
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
  /// frame. If playback had ended, it starts again from the end of the file in reverse, or from the
  /// beginning.
  public func turn(_ direction: AudioEdit.Direction) async {
    await inOrder { await run(direction == .forward ? speed.magnitude : -speed.magnitude) }
  }

  /// Sets the speed, −8 … 8, as that of a tape: the pitch follows it. Below 0, it plays backwards,
  /// and at 0 it rests. Other values are clamped. The new speed is reached within 5 ms of sound,
  /// and multiplied by that of the ``factor``. If playback had ended, it starts again.
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

  /// Whether no frame is left in the current direction.
  private var isAtLastFrame: Bool {
    loop.mode == .none && playhead == (direction == .forward ? duration : .zero)
  }

  /// Plays from the beginning of the file or loop, or in reverse from its end.
  func startOver(_ loaded: LoadedFile) async {
    playhead = edge(for: direction)
    _ = await loaded.seek(to: playhead)
  }

  /// The position at which playback of the file or loop begins in this direction.
  func edge(for direction: AudioEdit.Direction) -> Duration {
    // a loop that starts after the end of the file is ignored
    let isLoop = loop.mode != .none && loop.start < duration
    return direction == .forward
      ? (isLoop ? loop.start : .zero)
      : (isLoop ? loop.stop.map { min($0, duration) } : nil) ?? duration
  }

  /// Duration of the file. Zero until known.
  var duration: Duration { loaded?.revbuf.duration() ?? information?.duration ?? .zero }
}
