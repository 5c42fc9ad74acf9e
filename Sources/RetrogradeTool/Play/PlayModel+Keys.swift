// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import Glibc
import Retrograde

// A key changes the model immediately, and returns the actions for the player.

extension PlayModel {
  /// Each key press changes the speed by a semitone.
  private static let step = pow(2, 1.0 / 12)

  mutating func handle(_ key: Key) -> [PlayAction] {
    switch key {
    case .character(let character): handle(character)
    case .left: scrub(by: -1)
    case .right: scrub(by: 1)
    case .shiftLeft: seek(to: position - Self.shortStep)
    case .shiftRight: seek(to: position + Self.shortStep)
    case .home: seek(to: .zero)
    case .end: seek(to: track.duration)
    case .control("a"): nudge(\.markerStart, by: Self.nudge)
    case .control("b"): nudge(\.markerStop, by: Self.nudge)
    case .control: []
    case .up: change { $0.volume = min($0.volume + 5, 100) }
    case .down: change { $0.volume = max($0.volume - 5, 0) }
    case .pageUp: scrub(by: 6)
    case .pageDown: scrub(by: -6)
    case .enter: open(index + 1)
    }
  }

  private mutating func handle(_ character: Character) -> [PlayAction] {
    switch character {
    case " ": pauseOrPlay()
    case "r": turn()
    case "+", "=": set(factor: factor.value / Self.step)
    case "-", "_": set(factor: factor.value * Self.step)
    case "0": setNormalSpeed()
    case "j": shuttle(.reverse)
    case "k": stop()
    case "l": shuttle(.forward)
    case ".": step(by: 1)
    case ",": step(by: -1)
    case "K": changePitch { $0.isKept.toggle() }
    case ">": changePitch { $0.semitones = min($0.semitones + 1, 24) }
    case "<": changePitch { $0.semitones = max($0.semitones - 1, -24) }
    case "c": change { $0.isOriginal.toggle() }
    case "a": set(\.markerStart, over: \.markerStop)
    case "b": set(\.markerStop, over: \.markerStart)
    case "A": nudge(\.markerStart, by: .zero - Self.nudge)
    case "B": nudge(\.markerStop, by: .zero - Self.nudge)
    case "x": clearMarkers()
    case "L": cycleLoop()
    case "n": open(index + 1)
    case "p": open(index - 1)
    case "m": change { $0.channels = $0.channels.next }
    case "i": change { $0.interpolation = $0.interpolation.next }
    case "w": canPlay ? [.write(edit)] : []
    case "?": toggleHelp()
    case "q": [.quit]
    default: []
    }
  }

  private var canPlay: Bool { transport != .opening && transport != .failed }

  // MARK: - Transport

  private mutating func pauseOrPlay() -> [PlayAction] {
    isStopped = false
    switch transport {
    case .playing:
      transport = .paused
      guard backstep > .zero else { return [.pause] }
      let back = direction == .forward ? position - backstep : position + backstep
      guard loopMode != .none else { return [.pause] + seek(to: back) }
      return [.pause] + seek(to: min(max(back, region.lowerBound), region.upperBound))
    case .paused:
      transport = .playing
      return [.play]
    case .ended: return seek(to: direction == .forward ? .zero : track.duration)
    case .opening, .failed: return []
    }
  }

  /// 5 s, or a twentieth of the file if it's shorter than 100 s.
  var scrubStep: Duration { min(.seconds(5), track.duration / 20) }

  private static let shortStep = Duration.seconds(1)

  private mutating func scrub(by steps: Int) -> [PlayAction] {
    seek(to: position + scrubStep * steps)
  }

  /// If playback has ended, this starts it again at `target`.
  private mutating func seek(to target: Duration) -> [PlayAction] {
    guard canPlay, track.duration > .zero else { return [] }
    position = min(max(target, .zero), track.duration)
    guard transport == .ended else { return [.seek(position)] }
    transport = .playing
    return [.seek(position), .play]
  }

  private mutating func turn() -> [PlayAction] {
    direction = direction.opposite
    guard transport == .ended else { return [.turn(direction)] }
    transport = .playing
    return [.turn(direction), .play]
  }

  /// Plays in this direction at normal speed, or doubles the speed if it already plays that way.
  /// After `stop()` it begins at half speed.
  private mutating func shuttle(_ direction: Direction) -> [PlayAction] {
    guard canPlay else { return [] }
    let isFaster = transport == .playing && direction == self.direction
    shuttle = isStopped ? 0.5 : isFaster ? min(shuttle * 2, 8) : 1
    (self.direction, isStopped) = (direction, false)
    defer { transport = .playing }
    return [tape] + (transport == .playing ? [] : [.play])
  }

  /// A terminal doesn't report when you let go of a key, so j and l are slow after k rather than
  /// while you hold it.
  private mutating func stop() -> [PlayAction] {
    guard transport == .playing || transport == .paused else { return [] }
    (transport, isStopped, shuttle) = (.paused, true, 1)
    return [.pause, tape]
  }

  private var tape: PlayAction { .speed(direction == .forward ? shuttle : -shuttle) }

  /// About one frame of video.
  private static let stepLength = Duration.milliseconds(40)

  /// Pauses, and moves that many steps forward in the file.
  private mutating func step(by steps: Int) -> [PlayAction] {
    let actions = seek(to: position + Self.stepLength * steps)
    guard !actions.isEmpty else { return [] }
    transport = .paused
    return actions + [.pause]
  }

  private mutating func open(_ index: Int) -> [PlayAction] {
    guard (0..<count).contains(index) else {
      message = index < 0 ? "This is the first file." : "This is the last file."
      return []
    }
    return [.open(index)]
  }

  // MARK: - Sound

  private mutating func set(factor wanted: Double) -> [PlayAction] {
    // twelve steps up and twelve down don't quite give 1
    let isOne = abs(wanted - 1) < 1e-9
    (factor, ladder, isOriginal) = (isOne ? .one : ScaleFactor(clamping: wanted), [], false)
    return [.apply(settings)]
  }

  private mutating func setNormalSpeed() -> [PlayAction] {
    let hasShuttled = shuttle != 1
    shuttle = 1
    return set(factor: 1) + (hasShuttled ? [tape] : [])
  }

  private mutating func change(_ change: (inout PlayModel) -> Void) -> [PlayAction] {
    change(&self)
    return [.apply(settings)]
  }

  private mutating func changePitch(_ change: (inout Pitch) -> Void) -> [PlayAction] {
    change(&pitch)
    isOriginal = false
    return [.apply(settings)]
  }

  private mutating func toggleHelp() -> [PlayAction] {
    isHelpShown.toggle()
    return []
  }
}

extension CaseIterable where Self: Equatable {
  /// The next case, going back to the first after the last.
  var next: Self {
    let all = Array(Self.allCases)
    let index = (all.firstIndex(of: self) ?? 0) + 1
    return all[index % all.count]
  }
}
